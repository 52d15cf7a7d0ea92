"""The benchmarks, one a module; :mod:`fallax.bench.registry` names them."""
