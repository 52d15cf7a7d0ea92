"""How judges of faithfulness are asked, and how their replies are read."""
