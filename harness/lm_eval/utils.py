"""What the YAML files beside this one call; all else is in fallax.integrations.lm_eval_tasks."""

import datasets

from fallax.integrations import lm_eval_tasks as tasks


def load(name, data=None, options=None, **others):
    """The documents; ``data`` and ``options`` come from --metadata, ``others`` are the harness's own."""
    return {"test": datasets.Dataset.from_list(list(tasks.documents(name, data=data, options=options)))}


def process(measures):
    """Every measure is made of the same results."""

    def made(document, replies):
        return dict.fromkeys(measures, tasks.results(document, replies))

    return made


twins = process(["detection/accuracy", "detection/f1", "twins/discrimination"])
mafalda = process(["span-2/f1", "span-1/f1", "span-0/f1", "unreadable"])
causal = process(["verdict/accuracy", "verdict/macro_f1"])

detection_accuracy = tasks.aggregation("detection", "accuracy")
detection_f1 = tasks.aggregation("detection", "f1")
twins_discrimination = tasks.aggregation("twins", "discrimination")
span_2_f1 = tasks.aggregation("span-2", "f1")
span_1_f1 = tasks.aggregation("span-1", "f1")
span_0_f1 = tasks.aggregation("span-0", "f1")
verdict_accuracy = tasks.aggregation("verdict", "accuracy")
verdict_macro_f1 = tasks.aggregation("verdict", "macro_f1")
unreadable = tasks.unreadable_share
