"""What Debian wants of a package's documents: the forms that cargo-deb does not write itself."""

import gzip
from email.utils import formatdate


def copyright_text(authors, mit):
    """Who holds the rights and under which licences, in Debian's machine-readable form, from the text of the MIT licence."""
    # The licence begins with its title and the line on who holds the rights, which this form says elsewhere.
    terms = mit[mit.index("Permission is hereby granted") :].rstrip().splitlines()
    return "\n".join(
        [
            "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
            "Upstream-Name: charmer",
            "",
            "Files: *",
            f"Copyright: {authors}",
            "License: Expat or Apache-2.0",
            "Comment: The program contains crates of others; THIRD-PARTY-NOTICES has their licences.",
            "",
            "License: Expat",
            *(f" {line}" if line else " ." for line in terms),
            "",
            "License: Apache-2.0",
            " The text is in /usr/share/common-licenses/Apache-2.0.",
            "",
        ]
    )


def compressed(data, target):
    """Writes a manual page or a changelog as Debian has them; the same bytes always become the same file."""
    target.write_bytes(gzip.compress(data, mtime=0))


def changelog_text(name, version, maintainer, when):
    """A changelog of the package that points to the program's; `when` in seconds since 1970."""
    return (
        f"{name} ({version}) unstable; urgency=medium\n\n  * What changed in the program is in changelog.gz.\n\n"
        f" -- {maintainer}  {formatdate(when)}\n"
    )
