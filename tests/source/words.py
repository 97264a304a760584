"""Words and identifiers that only the authors understood. docs_test.py looks for them in pages, comments_test.py in
comments. docs/glossary.md has the terms to use."""

# In running text and in comments. Ignoring case, unless the expression says otherwise.
BANNED = ("the house", r"floors?", r"settl\w+", "(?-i:pace)", "universe", r"bookings?", r"the books", "rivals", r"crowd\w*", "sight",
          "nearby", "thin", r"recall\w*", "by turns", r"walks? (?:the|its|a) row", "worked out", "whole app", "throw-away", "hand-over",
          "somebody else's", "nobody else's", "what counts most", "make room", "has room", "no room", "in short supply")
# Only in comments: threads and data are named, not spoken of as people, and actions by the usual verbs.
BANNED_IN_COMMENTS = (r"somebody\w*", r"nobody\w*", r"anybody\w*", r"everybody\w*", "whoever", "who (?:has|is|owns|holds|sees|reads|waits)",
                      "makes? room", "for good", r"(?:in|into|at) (?:the |a )?(?:\w+'s? )?hands?", "dealt out", "deals? out", "goes round", "go round",
                      "all the same")
# Old identifiers, and macros that made names: in code spans and blocks of code.
BANNED_CODE = (r"OP_?\(", r"MY\(", r"\w+_VISIT", r"\w+_SECTION", r"(?:op|ordo_job)_(?:visit|section|open|recall|book)", r"ordo_survey\w*",
               r"ordo_cuda_turn\w*", r"\w+_(?:settled|SETTLED)", "universe", "thin", "hops", "rivals", "crowd", "twice", r"settle\.c", r"own\.c",
               r"preflow\.c", r"tree\.[ch]", r"(?:pace|rules|shape)\.h", "ORDO_WHOLE_APP", r"settle_range", "--hand-over")
