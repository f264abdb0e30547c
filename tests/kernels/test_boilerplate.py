"""Text without what publishers and repositories put around it."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.boilerplate import bare_abstract, bare_body, bare_title

TEXT = "We grew mice in water. They were well."
PIECES = ["© 2016 ", "We show it. ", "Key words: a, b", "Abstract ", "(c) 2001 ", "\n\n", ". "]
PIECES += ["PACS: 05.65.+b ", "METHODS: ", "[1] ", "ABSTRACT TRUNCATED AT 9 WORDS", "Comment: x"]
REST = "All rights reserved."


def bare(text):
    return bare_abstract(text, Counter())


@pytest.mark.parametrize(
    "capture",
    [
        TEXT,
        f"© 2016, Springer-Verlag GmbH Germany, part of Springer Nature. {TEXT}",
        f"© 2016 The Authors {TEXT}",
        f"© 2016 {TEXT}",
        f"© 2016{TEXT}",
        f"© 2016 IOP Publishing Ltd.{TEXT}",
        f"© 2020, The Author(s).{TEXT}",
        f"© 2015. American Geophysical Union. All Rights Reserved. {TEXT}",
        f"{TEXT} © 2013 Macmillan Publishers Limited. All rights reserved.",
        f"{TEXT} Copyright 2005 by the American Geophysical Union.",
        f"{TEXT} © 2010.",
        f"{TEXT} © 2011 Author(s).",
        f"{TEXT}©2013. American Geophysical Union. All Rights Reserved.",
        f"{TEXT} This article is protected by copyright. All rights reserved.",
        f"{TEXT} (PsycInfo Database Record (c) 2021 APA, all rights reserved).",
        f"{TEXT} © Springer-Verlag 2009.",
        f"{TEXT} © Society for Industrial and Applied Mathematics.",
        f"{TEXT} Copyright (C) 1999 John Wiley & Sons, Ltd.",
        f"{TEXT} Crown Copyright (C) 2010 Published by Elsevier Ltd. {REST}",
        f"{TEXT} [Copyright 2010, AIP Publishing]",
        f"{TEXT} © 2021 23andMe, Inc. The Journal of Mice published by Ny & Sons, Ltd.",
        f"{TEXT} Published by Elsevier Ltd.",
        f"{TEXT} {REST}",
        f"© 2019, © 2019 Informa UK Limited, trading as Taylor & Francis Group. {TEXT}",
        f"Crown Copyright © 2012 Published by Elsevier Ltd. {REST} {TEXT}",
        f"2018 © Elsevier Ltd. {TEXT}",
        f"© 2018 Author(s). This article is distributed under a CC BY 4.0 licence. {TEXT}",
        f"Abstract {TEXT}",
        f"Abstract{TEXT}",
        f"Abstract\n\n{TEXT}",
        f"ABSTRACT\u2014{TEXT}",
        f"Summary {TEXT}",
        f"Résumé : {TEXT}",
        f"A B S T R A C T {TEXT}",
        f"{TEXT} Comments: 5 pages, 2 figures",
        f"{TEXT} Comment: Accepted by J. Mice",
        f"{TEXT} KEYWORDS mice, water",
        f"{TEXT} Index Terms\u2014mice, water.",
        f"{TEXT} Mots-clés : souris, eau.",
        f"{TEXT} J Mice 2021;51(6):281-288. Epub 30 Jan 2021. doi:10.1000/mice.1",
        f"{TEXT} This is an open access article under the CC BY licence.",
        f"Abstract: {TEXT}",
        f"ABSTRACT {TEXT}",
        f"Abstract--- {TEXT}",
        f"Summary. {TEXT}",
        f"[1] {TEXT}",
        f"{TEXT}Comment: 32 pages, 12 figure",
        f"{TEXT} Key words: mice, water; growth.",
        f"{TEXT} (Keywords: mice, water)",
        f"{TEXT}\n\nKEY WORDS: Mice.",
        f"{TEXT} PACS numbers: 47.32.Cc, 47.37.+q.",
        f"{TEXT} 2010 MSC: 11A41, 11B25",
        f"{TEXT} JEL classification: C23, D12.",
        f"{TEXT}(ABSTRACT TRUNCATED AT 250 WORDS)",
        f"{TEXT}***ABSTRACT TRUNCATED TO 1920 CHARS***",
        f"{TEXT}\n\nSUPPLEMENTARY INFORMATION: Supplementary data are available at Mice online.",
        f"{TEXT} Am J Mice 2021;221:\u2022\u2022-\u2022\u2022. © 2021 Elsevier Inc. {REST}",
        f"© 2016 The Authors. Abstract: {TEXT} Key words: mice. © 2016 Elsevier B.V. {REST}",
    ],
)  # fmt: skip
def test_t18_every_capture_of_an_abstract_gives_the_same_text(capture):
    taken = Counter()
    assert bare_abstract(capture, taken) == TEXT
    assert bool(taken) == (capture != TEXT)


@pytest.mark.parametrize(
    "text",
    [
        "Copyright protection is an issue. We solve it.",
        "Abstract argumentation frameworks are studied here.",
        "Summary statistics are kept.",
        "We searched with the following keywords: mice, water, and growth. We found 12.",
        "Keywords are drawn. The key word is not: what it seems. Then more follows.",
        "We use the Penn Alcohol Craving Scale (PACS) and more.",
        "the comment: it is good",
        "(C)ompounds were made.",
        "The Copyright 2000 Act was studied. We asked 300 people about it. They knew.",
        "Mice ((c) 2004 Wiley) were drawn. We grew them and published the data. They grew.",
        "We drew a model, © 2010 Siemens. It was used here, and the mice were well.",
        "The data are copyright of the authors. We asked them.",
        "We ask who owns a copyright.",
        "AbstractFactory is a pattern.",
        "We give an answer. Comment: The 12 mice did not agree with it.",
        "The data are public: https://doi.org/10.1000/mice.1",
        "In 1999; 12 mice were grown.",
        "",
    ],
)
def test_what_only_looks_like_boilerplate_stays(text):
    assert bare(text) == text


@pytest.mark.parametrize(
    ("text", "labelled"),
    [
        ("BACKGROUND: Mice.\n\nMETHODS:Water.", "Background: Mice.\n\nMethods: Water."),
        ("BACKGROUND AND AIMS: Mice.", "Background and aims: Mice."),
        ("MATERIALS & METHODS: Mice.", "Materials & methods: Mice."),
        ("DNA: a molecule", "DNA: a molecule"),
    ],
)
def test_labels_of_sections_have_one_form(text, labelled):
    assert bare(text) == labelled


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("[Growing mice (author's transl)].", "Growing mice"),
        ("[Growing mice].", "Growing mice"),
        ("Growing mice.", "Growing mice"),
        ("[Co(NH3)6] and [Fe(CN)6].", "[Co(NH3)6] and [Fe(CN)6]"),
        ("To be continued...", "To be continued..."),
        ("Mice of Washington D.C.", "Mice of Washington D.C."),
        ("", ""),
    ],
)
def test_a_title_loses_its_brackets_and_its_full_stop(title, expected):
    assert bare_title(title) == expected


def test_a_publishers_paragraphs_go_and_so_does_a_title_that_they_leave_alone():
    taken = Counter()
    body = "\n\n".join(
        [
            "## Methods",
            "This is an open access article distributed under the terms of it.",
            "We grew mice.",
            "## Pre-publication history",
            "The pre-publication history for this paper can be accessed here:",
            "http://www.biomedcentral.com/1471-2180/11/174/prepub",
            "## Results",
            "Page 3 of 12",
            "They were well.",
            "### End",
            "doi:10.1000/182",
        ]
    )
    assert bare_body(body, taken) == "\n\n".join(
        ["## Methods", "We grew mice.", "## Results", "They were well."]
    )
    assert taken == {"publisher_lines": 5}


def test_a_paragraph_that_speaks_of_licences_stays():
    body = "We share the data; they are distributed under the terms of the Creative Commons. " * 12
    assert bare_body(body, Counter()) == body


def test_the_lead_of_a_second_abstract_goes_too():
    taken = Counter()
    assert bare_abstract(f"{TEXT}\n\nAbstract: {TEXT}", taken) == f"{TEXT}\n\n{TEXT}"
    assert taken == {"leads": 1}


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_a_second_time_takes_nothing_more_and_nothing_is_invented(text):
    once = bare(text)
    assert bare(once) == once
    assert set(once.lower()) <= set(text.lower()) | {" "}
    assert len(once) <= len(text) + text.count(":")


@pytest.mark.parametrize(
    "piece", ["© 2016 ", "Key words: ", "PACS 1 ", "Comment: ", "(", "[1] ", "MSC: "]
)
def test_a_megabyte_of_one_piece_is_read_through(piece):
    bare(piece * (1_000_000 // len(piece)))
