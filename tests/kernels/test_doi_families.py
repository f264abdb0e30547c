"""Which DOIs are versions or parts of one work, and which only look as if they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusforge.kernels.doi_families import doi_family, doi_version

# Family to its members with the version that each names.
FAMILIES = {
    "10.48550/arxiv.2301.00001": {
        "10.48550/arxiv.2301.00001": None,
        "10.48550/arxiv.2301.00001v12": 12,
    },
    "10.48550/arxiv.0704.0001": {"10.48550/arxiv.0704.0001v1": 1},
    "10.48550/arxiv.hep-th/9901001": {"10.48550/arxiv.hep-th/9901001v3": 3},
    "10.1101/270413": {"10.1101/270413": None, "10.1101/270413v2": 2},
    "10.1101/2020.01.30.927871": {
        "10.1101/2020.01.30.927871v1": 1,
        "10.1101/2020.01.30.927871v2.full.pdf": 2,
        "10.1101/2020.01.30.927871v2.full-text": 2,
        "10.1101/2020.01.30.927871.abstract": None,
    },
    "10.1101/19008045": {"10.1101/19008045v1": 1},
    "10.1101/2025.10.14.25337964": {"10.1101/2025.10.14.25337964v2": 2},
    "10.64898/2026.05.04.722036": {"10.64898/2026.05.04.722036v1": 1},
    "10.12688/f1000research.160010": {
        "10.12688/f1000research.160010": None,
        "10.12688/f1000research.160010.1": 1,
        "10.12688/f1000research.160010.2": 2,
    },
    "10.12688/f1000research.2-288": {
        "10.12688/f1000research.2-288.v1": 1,
        "10.12688/f1000research.2-288.v3": 3,
    },
    "10.12688/wellcomeopenres.15270": {"10.12688/wellcomeopenres.15270.2": 2},
    "10.12688/gatesopenres.16313": {"10.12688/gatesopenres.16313.1": 1},
    "10.12688/openreseurope.13387": {"10.12688/openreseurope.13387.2": 2},
    "10.12688/verixiv.77": {"10.12688/verixiv.77.3": 3},
    "10.3310/nihropenres.13837": {"10.3310/nihropenres.13837.1": 1},
    "10.35241/emeraldopenres.14515": {"10.35241/emeraldopenres.14515.1": 1},
    "10.7490/f1000research.1112345": {"10.7490/f1000research.1112345.1": 1},
    "10.15694/mep.2021.000131": {"10.15694/mep.2021.000131.1": 1},
    "10.21203/rs.3.rs-6209794": {
        "10.21203/rs.3.rs-6209794/v1": 1,
        "10.21203/rs.3.rs-6209794/v10": 10,
    },
    "10.21203/rs.2.12345": {"10.21203/rs.2.12345/v1": 1},
    "10.21203/rs.3.pex-1055": {"10.21203/rs.3.pex-1055/v1": 1},
    "10.20944/preprints202411.1158": {"10.20944/preprints202411.1158.v1": 1},
    "10.26434/chemrxiv.12709751": {
        "10.26434/chemrxiv.12709751": None,
        "10.26434/chemrxiv.12709751.v1": 1,
        "10.26434/chemrxiv.12709751/v2": 2,
    },
    "10.26434/chemrxiv-2021-v1234": {"10.26434/chemrxiv-2021-v1234-v3": 3},
    "10.33774/chemrxiv-2021-gxjgc": {"10.33774/chemrxiv-2021-gxjgc-v2": 2},
    "10.33774/coe-2024-47ld9": {"10.33774/coe-2024-47ld9-v4": 4},
    "10.31234/osf.io/tesj8": {"10.31234/osf.io/tesj8": None, "10.31234/osf.io/tesj8_v2": 2},
    "10.31222/osf.io/bdmte": {"10.31222/osf.io/bdmte_v1": 1},
    "10.7554/elife.00270": {
        "10.7554/elife.00270": None,
        "10.7554/elife.00270.001": None,
        "10.7554/elife.00270.023": None,
    },
    "10.7554/elife.87099": {"10.7554/elife.87099.1": 1, "10.7554/elife.87099.3": 3},
    "10.7554/elife.102365": {"10.7554/elife.102365.2": 2},
    "10.1371/journal.pone.0000217": {
        "10.1371/journal.pone.0000217.g001": None,
        "10.1371/journal.pone.0000217.t002": None,
    },
    "10.7717/peerj.1935": {"10.7717/peerj.1935/fig-1": None, "10.7717/peerj.1935/table-2": None},
    "10.7717/peerj-cs.103": {"10.7717/peerj-cs.103/fig-10": None},
    "10.7287/peerj.preprints.3151": {
        "10.7287/peerj.preprints.3151": None,
        "10.7287/peerj.preprints.3151v2": 2,
    },
    "10.2196/18811": {"10.2196/18811": None, "10.2196/preprints.18811": None},
    "10.6084/m9.figshare.1234567": {"10.6084/m9.figshare.1234567.v3": 3},
    "10.6084/m9.figshare.c.4112909": {"10.6084/m9.figshare.c.4112909.v1": 1},
    "10.25384/sage.c.6961823": {"10.25384/sage.c.6961823.v1": 1},
    "10.1184/r1/12841247": {"10.1184/r1/12841247.v1": 1},
    "10.1364/opticaopen.24864648": {"10.1364/opticaopen.24864648.v2": 2},
    "10.36227/techrxiv.16532853": {"10.36227/techrxiv.16532853.v1": 1},
    "10.36227/techrxiv.175339329.95323969": {"10.36227/techrxiv.175339329.95323969/v1": 1},
    "10.31124/advance.14716638": {"10.31124/advance.14716638.v1": 1},
    "10.31124/advance.175136285.53256239": {"10.31124/advance.175136285.53256239/v2": 2},
    "10.22541/au.160674522.20049875": {
        "10.22541/au.160674522.20049875": None,
        "10.22541/au.160674522.20049875/v1": 1,
    },
    "10.22541/essoar.171838396.68563140": {"10.22541/essoar.171838396.68563140/v1": 1},
    "10.1002/essoar.10504916": {
        "10.1002/essoar.10504916.1": 1,
        "10.1002/essoar.10504916.2": 2,
    },
    "10.12074/202310.03413": {"10.12074/202310.03413v1": 1},
    "10.1038/npre.2007.425": {"10.1038/npre.2007.425": None, "10.1038/npre.2007.425.2": 2},
    "10.14293/s2199-1006.1.sor-.ppa7be8": {"10.14293/s2199-1006.1.sor-.ppa7be8.v1": 1},
    "10.14293/pr2199.000907": {"10.14293/pr2199.000907.v1": 1},
    "10.3762/bxiv.2020.136": {"10.3762/bxiv.2020.136.v1": 1},
    "10.1099/acmi.0.000569": {"10.1099/acmi.0.000569.v1": 1, "10.1099/acmi.0.000569.v3": 3},
    "10.17504/protocols.io.kxygxyxmdl8j": {"10.17504/protocols.io.kxygxyxmdl8j/v2": 2},
}

# Every one of these is a work, or a text, of its own.
ALONE = [
    # what would be a version elsewhere is a page, an item or a year here
    "10.1016/0014-5793(85)80257-1",
    "10.1016/0014-5793(85)80257-2",
    "10.1016/s0140-6736(20)30367-6",
    "10.1103/physrevd.1.1",
    "10.1103/physrevd.1.2",
    "10.1088/1742-6596/2987/1/012001",
    "10.1088/1742-6596/2987/2",
    "10.1111/j.1365-2966.2009.15427.x",
    "10.1002/meet.14504701413",
    "10.1002/(sici)1097-0258(19960115)15:1",
    "10.1002/14651858.cd000001.pub2",
    "10.1002/14651858.cd000001.pub3",
    "10.1021/acs.jpcc.1c03975",
    "10.1021/ja00123a001.1",
    "10.5555/12345678.1",
    "10.5555/paper/v1",
    "10.5555/paper/v2",
    "10.5555/paper.v2",
    "10.5555/paper_v2",
    "10.5555/thesis-v2",
    "10.3390/mps8040071",
    "10.1145/3453892.3462647",
    "10.18653/v1/2022.acl-long.356",
    "10.18653/v1/n18-1205",
    "10.18653/v1/n18-1206",
    "10.1007/978-3-030-01234-2_1",
    "10.1007/978-3-030-01234-2_2",
    "10.1093/nar/gkz1055",
    "10.21468/scipostphys.1.1.001",
    "10.21468/scipostphys.1.1.002",
    "10.1155/2013/1",
    "10.4230/lipics.stacs.2010.1",
    # other works of a registrant that has rules
    "10.1101/gr.279479.124",
    "10.1101/cshperspect.a012345",
    "10.1101/pdb.prot5678",
    "10.1101/sqb.2009.74.010",
    "10.1038/nature12373",
    "10.1038/s41586-020-2939-8",
    "10.1038/473285.1",
    "10.1002/adma.201600001.1",
    "10.1371/journal.pone.0000217",
    "10.1371/journal.pone.0000218",
    "10.1364/oe.434238.v1",
    "10.1099/jgv.0.000123.v1",
    "10.2196/jmir.1.1",
    "10.48550/arxiv.2301.00002",
    "10.14293/fungi-mycel.2026.001",
    "10.33774/coe-2026-rxfr3",
    "10.26434/chemrxiv-2021-v1234",
    # reviews, replies and supplements are texts of their own
    "10.7554/elife.87099.sa1",
    "10.7554/elife.87099.3.sa0",
    "10.5256/f1000research.160010.r12345",
    "10.1099/acmi.0.000530.v1.3",
    "10.7287/peerj.1234v0.1/reviews/1",
    "10.7717/peerj.1935/supp-1",
    "10.1371/journal.pone.0000217.s001",
    "10.5194/acp-2020-123-rc1",
    "10.5194/acp-2020-123-ac2",
    "10.5194/acp-21-1234-2021-supplement",
    "10.5194/acp-21-1234-2021-corrigendum",
    # versions of a work whose DOIs do not say so
    "10.5194/acp-2020-123",
    "10.5194/acpd-12-1234-2012",
    "10.5194/acp-21-1234-2021",
    "10.5194/egusphere-2022-123",
    "10.5281/zenodo.7664141",
    "10.5281/zenodo.7664142",
    "10.5281/zenodo.1234567.v1",
    "10.2139/ssrn.3925736",
    "10.2139/ssrn.3925737",
    "10.32942/x2065k",
    "10.1590/scielopreprints.5577",
    "10.32388/a6lbso",
    "10.17605/osf.io/w4sc9",
    "10.31234/osf.io/tesj8_v2/data",
]


@pytest.mark.parametrize(
    ("family", "doi", "version"),
    [(family, doi, v) for family, members in FAMILIES.items() for doi, v in members.items()],
)
def test_versions_and_parts_of_a_work_are_in_its_family(family, doi, version):
    assert doi_family(doi) == family
    assert doi_version(doi) == version


@pytest.mark.parametrize("doi", ALONE)
def test_what_only_looks_like_a_version_is_a_family_of_its_own(doi):
    assert doi_family(doi) == doi
    assert doi_version(doi) is None


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_in_the_family_that_it_names(family):
    assert doi_family(family) == family


def test_the_same_number_at_two_servers_is_two_works():
    assert doi_family("10.31234/osf.io/tesj8_v1") != doi_family("10.31235/osf.io/tesj8_v1")


SUFFIXES = st.text(alphabet="abcv01.-_/()", min_size=1, max_size=20)


@given(st.integers(40_000, 47_999), SUFFIXES)
def test_a_registrant_without_rules_has_no_families_but_those_of_osf(registrant, suffix):
    doi = f"10.{registrant}/{suffix}"
    assert doi_family(doi) == doi


@given(st.sampled_from([doi for members in FAMILIES.values() for doi in members]), SUFFIXES)
def test_the_family_of_a_family_is_itself(doi, suffix):
    family = doi_family(doi + suffix)
    assert doi_family(family) == family


@given(st.text(max_size=30))
def test_anything_else_is_its_own_family(text):
    assert doi_family(text) == text
    assert doi_version(text) is None
