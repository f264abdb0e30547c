r"""What the macros and environments of LaTeX, and of old formats of TeX, are to a reader of text.

Symbols come from pylatexenc; what is in no table here loses its name and keeps its text.
"""

from typing import TypeVar

from pylatexenc.latex2text import get_default_latex_context_db

from corpusforge.kernels.marks import ACKNOWLEDGEMENT, FIGURE, REFERENCE, TABLE

T = TypeVar("T")


def _names(text: str) -> set[str]:
    return set(text.split())


def _each(names: str, value: T) -> dict[str, T]:
    return dict.fromkeys(names.split(), value)


# Macros whose groups are no text, by how many groups that are. Brackets before a group go with it.
NO_TEXT = {
    **_each(
        """
        label tag index glossary nocite footnotemark thanks
        marginpar todo include subfile includegraphics includepdf epsfig psfig epsfbox
        epsffile plotone subfigure subfloat usepackage RequirePackage documentclass
        documentstyle bibliography bibliographystyle addbibresource graphicspath vspace
        hspace phantom hphantom vphantom color pagecolor rowcolor pagestyle thispagestyle
        pagenumbering markright theoremstyle newcounter newlength stepcounter refstepcounter
        DeclareGraphicsExtensions usetikzlibrary tikzset pgfplotsset lstset captionsetup
        hypersetup hyphenation char symbol ifthenelse special write openin openout message
        typeout errmessage
        """,
        1,
    ),
    # of title pages: what journals and classes ask for beside the title and the authors
    **_each(
        """
        keywords keyword pacs subjclass jel date dateline address email homepage urladdr
        curraddr dedicatory institute institution affil affiliation altaffiliation altaffilmark
        inst corref thanksref cortext fnref fntext tnoteref tnotetext ead orcid orcidlink
        orcidID authornote titlenote subtitle received revised accepted published preprint
        collaboration journal shorttitle shortauthors titlerunning authorrunning runningtitle
        runningauthor lefthead righthead slugcomment offprints doi IEEEauthorblockA
        IEEEmembership IEEEspecialpapernotice copyrightyear acmYear acmJournal acmConference
        acmBooktitle acmDOI acmISBN setcopyright ccsdesc icmltitlerunning icmlkeywords
        icmlaffiliation icmlsetsymbol
        """,
        1,
    ),
    **_each(
        """
        setcounter addtocounter setlength addtolength settowidth numberwithin counterwithin rule
        markboth altaffiltext plottwo PassOptionsToPackage fontsize
        """,
        2,
    ),
    **_each("definecolor addcontentsline titlespacing", 3),
}
# Macros whose last group is text, by how many groups come before it that are none.
TEXT_AFTER = {
    **_each(
        "textcolor colorbox href hyperlink hypertarget scalebox rotatebox raisebox parbox makebox "
        "framebox foreignlanguage adjustbox",
        1,
    ),
    **_each("multicolumn multirow fcolorbox resizebox", 2),
}
NOTES = _names("footnote footnotetext endnote foot")
CAPTIONS = {"caption": "", "captionof": "", "figcaption": FIGURE, "tablecaption": TABLE}
HEADINGS = {
    **_each("part chapter section newsec beginsection", 1),
    **_each("subsection subsec", 2),
    **_each("subsubsection subsubsec", 3),
    **_each("paragraph subparagraph", 4),
}
# AMS-TeX ends what it begins: \head Results\endhead
ENDED = {"head": 1, "heading": 1, "subhead": 2, "subheading": 2, "subsubhead": 3}
FRONT = {"title": "title", "icmltitle": "title", "Title": "title", "author": "author"}
FRONT |= {"icmlauthor": "author", "abstract": "abstract", "abst": "abstract"}
PARAGRAPH_ENDS = _names(
    """
    par newpage clearpage cleardoublepage bigskip medskip smallskip noindent indent
    maketitle centerline leftline rightline proclaim endproclaim demo enddemo eject
    vfill appendix medbreak bigbreak smallbreak filbreak
    """
)
BLANK = _names("newline linebreak quad qquad enspace thinspace hfill hfil break space xspace")
# Followed by a length, a number or a font, which is no text: \vskip 3pt plus 1pt, \hsize=6.5in
ASSIGNED = _names(
    """
    vskip hskip kern mskip vglue hglue hsize vsize hoffset voffset parindent parskip
    lineskip baselineskip topskip leftskip rightskip abovedisplayskip belowdisplayskip
    tabskip textwidth textheight oddsidemargin evensidemargin topmargin headheight headsep
    columnsep footskip mathsurround overfullrule tolerance pretolerance hbadness vbadness
    penalty clubpenalty widowpenalty hangindent hangafter pageno magnification pdfoutput
    baselinestretch
    """
)
MATH_IN_TEXT = {"ensuremath": 1, "SI": 2, "qty": 2, "num": 1, "si": 1, "unit": 1, "ang": 1}
MATH_IN_TEXT |= {"ce": 1, "SIrange": 3, "qtyrange": 3, "numrange": 2, "isotope": 1}
REFERENCES = _names(
    """
    ref eqref pageref autoref cref Cref vref Vref nameref Ref labelcref crefrange Crefrange
    fref Fref subref refs
    """
)
THANKS = {"acknowledgments", "acknowledgements", "acknowledgment", "acknowledgement", "ack", "acks"}

# Of these only captions are text.
FLOATS = {
    **_each(
        """
        figure figure* wrapfigure SCfigure sidewaysfigure sidewaysfigure* floatingfigure
        teaserfigure marginfigure algorithm algorithm* scheme
        """,
        FIGURE,
    ),
    **_each(
        """
        table table* wraptable SCtable sidewaystable sidewaystable* margintable longtable longtable*
        deluxetable deluxetable* planotable
        """,
        TABLE,
    ),
}
# These mark all their paragraphs.
KIND_OF = {
    **_each(" ".join(THANKS), ACKNOWLEDGEMENT),
    **_each("thebibliography references", REFERENCE),
}
LEFT_OUT = _names(
    """
    tabular tabular* tabularx tabulary tabbing supertabular xtabular algorithmic algorithm2e
    tikzpicture pgfpicture pspicture picture tikzcd asy diagram feynman fmffile fmfgraph psfrags
    biblist bibdiv keywords keyword CCSXML comment filecontents filecontents* dedication highlights
    graphicalabstract
    """
)
VERBATIM = {"verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt"}
# How each environment of displayed mathematics is written between "$$".
ALIGNED, GATHERED = "aligned", "gathered"
MATH = {
    **_each("equation equation* displaymath dmath dmath* math", ""),
    **_each(
        "align align* flalign flalign* alignat alignat* xalignat xalignat* eqnarray eqnarray* "
        "subeqnarray IEEEeqnarray IEEEeqnarray* split",
        ALIGNED,
    ),
    **_each("gather gather* multline multline* dgroup dgroup*", GATHERED),
}
# Groups after \begin{...} that are no text.
ENVIRONMENT_GROUPS = {
    **_each("list adjustwidth changemargin narrow CJK CJK*", 2),
    **_each("minipage multicols multicols* spacing addmargin otherlanguage thebibliography", 1),
    **_each("otherlanguage* textblock", 1),
}
STATEMENTS = {
    name: name.capitalize()
    for name in _names(
        "theorem lemma proposition corollary conjecture definition remark example claim"
    )
}

ACCENTS = {"`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", '"': "\u0308"}
ACCENTS |= {"=": "\u0304", ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b"}
ACCENTS |= {"c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323", "b": "\u0331"}
ACCENTS |= {"t": "\u0361", "U": "\u030e"}
SPACING = {"^": "^", "~": "~"}  # accents over nothing that people write for the character itself
CHARACTERS = {",": " ", ";": " ", ":": " ", ">": " ", " ": " ", "\n": " ", "\t": " "}
CHARACTERS |= {character: character for character in "&%$#_{}"}


def _symbols() -> dict[str, str]:
    """The names of pylatexenc that stand for characters; \\today would be another every day."""
    texts = {
        spec.macroname: spec.simplify_repl
        for spec in get_default_latex_context_db().iter_macro_specs()
        if isinstance(spec.simplify_repl, str) and not set("%<") & set(spec.simplify_repl)
    }
    own = {"LaTeX": "LaTeX", "TeX": "TeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX", "AmS": "AMS"}
    own |= {"S": "§", "P": "¶", "copyright": "©", "pounds": "£", "slash": "/", "textless": "<"}
    own |= {"textgreater": ">", "textbar": "|", "textunderscore": "_", "lq": "'", "rq": "'"}
    own |= {"textbackslash": "\\", "degree": "°", "AA": "Å", "aa": "å", "today": ""}
    own |= {"textasciicircum": "^", "nobreakspace": " ", "textquotedbl": '"', "-": ""}
    return {name: text for name, text in texts.items() if name.isalpha()} | own


SYMBOLS = _symbols()
# What keeps its meaning when an author defines it anew: how it looks is not our matter.
PROTECTED = {
    *HEADINGS,
    *FRONT,
    *PARAGRAPH_ENDS,
    *NOTES,
    *CAPTIONS,
    *_names("item bibitem"),
    *_names("begin end document verb url cite citep citet ref eqref label input"),
    *_names("includegraphics usepackage documentclass bibliography thanks emph textbf"),
    *(
        f"{which}{{{name}}}"
        for which in ("begin", "end")
        for name in (*LEFT_OUT, *FLOATS, *KIND_OF, *MATH, *VERBATIM, "abstract", "document")
    ),
}
