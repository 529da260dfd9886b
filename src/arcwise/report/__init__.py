"""The report page: a posterior as one HTML file that needs nothing else.

`contents` gathers what the page says as plain values; `page` puts them into the
template, with the styles and scripts beside it and the charts' library inlined.
"""

from arcwise.report.contents import report_contents
from arcwise.report.page import report

__all__ = ["report", "report_contents"]
