"""Marks inside a paper's text: what separates its paragraphs, and what says of which kind they are.

What clean may leave out or rewrite by policy is marked, not judged, by the parsers. Unicode keeps
these code points for use inside a program (The Unicode Standard 16, section 23.7): no text that is
meant for reading has them. A citation stands between two marks, as printed; any other mark is the
first character of its paragraph, before the "## " of a section title.
"""

import re

PARAGRAPH = "\n\n"  # between paragraphs of an abstract or a body
HEADING = "## "  # starts a paragraph that is a section title; one more # per level

CITATION, END_CITATION = "\ufdd0", "\ufdd1"
FIGURE, TABLE, FOOTNOTE = "\ufdd2", "\ufdd3", "\ufdd4"  # captions; cells; notes
ACKNOWLEDGEMENT = "\ufdd5"  # thanks, funding, author contributions, competing interests
REFERENCE = "\ufdd6"  # one entry of the list of references
SUB_ARTICLE = "\ufdd7"  # decision letters, replies, responses; another mark may follow

MARK = re.compile("[\ufdd0-\ufdef]")
