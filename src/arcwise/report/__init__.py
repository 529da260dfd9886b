"""The report: a posterior as one self-contained HTML file.

`contents` collects the contents of the page as plain values; `page` renders them with the template,
with styles and scripts inlined.
"""

from arcwise.report.contents import report_contents
from arcwise.report.page import report

__all__ = ["report", "report_contents"]
