"""Quantities that are read from a sentence, as intervals with what they count."""

import math

import pytest

from fallax.faithfulness.systems.quantities import quantities_of

INF = math.inf
HOUR, DAY, YEAR = 3600.0, 86_400.0, 31_557_600.0


@pytest.mark.parametrize(
    ("text", "low", "high", "kind"),
    [
        ("4,200 seats", 4200, 4200, "count"),
        ("53 879 people", 53879, 53879, "count"),
        ("6.000 men", 6000, 6000, "count"),
        ("twenty-five boats", 25, 25, "count"),
        ("four hundred and twenty sheep", 420, 420, "count"),
        ("one thousand two hundred and five pupils", 1205, 1205, "count"),
        ("two and a half million trees", 2.5e6, 2.5e6, "count"),
        ("half a dozen jars", 6, 6, "count"),
        ("both lifts", 2, 2, "count"),
        ("dozens of letters", 24, INF, "count"),
        ("at least 30 guests", 30, INF, "count"),
        ("up to 30 guests", -INF, 30, "count"),
        ("30 guests or more", 30, INF, "count"),
        ("two or three dogs", 2, 3, "count"),
        ("none of the 12 lamps", 0, 0, "count"),
        ("2 of the 9 lamps", 2, 2, "count"),
        ("about 50 sheep", 40, 60, "count"),
        ("£2.4m", 2.4e6, 2.4e6, "money"),
        ("3 billion euros", 3e9, 3e9, "money"),
        ("US$ 40", 40, 40, "money"),
        ("25 per cent", 25, 25, "percent"),
        ("2 percentage points", 2, 2, "points"),
        ("3 to 5 per cent", 3, 5, "percent"),
        ("a third of the shops", 1 / 3, 1 / 3, "share"),
        ("half of the 12 shops", 6, 6, "count"),
        ("half a litre", 0.5, 0.5, "volume"),
        ("a litre and a half", 1.5, 1.5, "volume"),
        ("1.5 hours", 1.5 * HOUR, 1.5 * HOUR, "time"),
        ("an hour and a half", 1.5 * HOUR, 1.5 * HOUR, "time"),
        ("two hours and ten minutes", 2 * HOUR + 600, 2 * HOUR + 600, "time"),
        ("a couple of days", 2 * DAY, 2 * DAY, "time"),
        ("between 3 and 5 days", 3 * DAY, 5 * DAY, "time"),
        ("3-5 days", 3 * DAY, 5 * DAY, "time"),
        ("a 34-year-old", 34 * YEAR, 34 * YEAR, "age"),
        ("aged 34", 34 * YEAR, 34 * YEAR, "age"),
        ("minus 12 degrees", -12, -12, "degree"),
        ("-3 °C", -3, -3, "degree"),
        ("10 square metres", 10, 10, "area"),
        ("in 1998", 1998, 1998, "year"),
        ("in the 1990s", 1990, 1999, "year"),
        ("the 18th century", 1701, 1800, "year"),
        ("in 44 BC", -44, -44, "year"),
        ("12 March", 105, 105, "date"),
        ("March 3rd", 96, 96, "date"),
        ("in June", 187, 217, "date"),
        ("6.15 pm", 1095, 1095, "clock"),
        ("half past six", 390, 390, "clock"),
        ("ten o'clock in the evening", 1320, 1320, "clock"),
        ("noon", 720, 720, "clock"),
        ("the third runner", 3, 3, "ordinal"),
        ("in 21st place", 21, 21, "ordinal"),
        ("twice as many", 2, 2, "times"),
        ("by five votes to two", 5, 5, "score"),
        ("lost 3-1", 3, 3, "score"),
    ],
)
def test_what_is_read(text: str, low: float, high: float, kind: str) -> None:
    (found,) = quantities_of(f"It was {text}.")
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.kind == kind


def test_bounds_are_strict_where_the_words_are() -> None:
    (more,) = quantities_of("more than 30 guests")
    (less,) = quantities_of("fewer than ten cars")
    assert 30 < more.low < more.high == INF
    assert -INF == less.low < less.high < 10


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("120 honey bees from the hives", "bees"),
        ("three of the 12 families", "families"),
        ("two boys plays chess", "boy"),
        ("a crew of sixteen", "crew"),
        ("5,000 people", "person"),
    ],
)
def test_what_is_counted(text: str, thing: str) -> None:
    (one,) = quantities_of(f"7 {thing}")
    (found,) = quantities_of(text)
    assert found.thing == one.thing != ""


@pytest.mark.parametrize("text", ["Lot 12 failed.", "See Cars 3.", "the A380 landed", "No one came.", "the others", ""])
def test_a_number_in_a_name_is_none(text: str) -> None:
    assert quantities_of(text) == ()


def test_rates_wholes_and_what_is_left_out() -> None:
    (rent,) = quantities_of("He pays £40 a week.")
    (back,) = quantities_of("All but three of the 12 families came.")
    assert (rent.per, back.whole, back.but) == ("week", 12.0, True)


def test_a_number_of_many_digits_is_no_number() -> None:
    assert quantities_of("1" * 500) == ()
