"""Settings of the documentation site, which tools/site builds (make site)."""

project = "Isomer"
copyright = "the contributors of Isomer, Apache-2.0"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
smartquotes = False  # --option is no dash
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
