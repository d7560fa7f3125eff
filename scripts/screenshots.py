"""Take the pictures of the README: what `surelearn demo` prints, and the report it writes.

Run `make screenshots`; it needs Chromium.
"""

import os
import re
import shutil
import subprocess
import sys
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

TARGET = Path(__file__).parent.parent / "docs" / "screenshots"
WIDTH = 96
SCREENS = {"report": (900, 1180), "report_on_a_phone": (390, 1180)}


def run_demo(folder: Path) -> str:
    """Run the command in the folder and return what it printed, colours included."""
    settings = {"COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "TTY_INTERACTIVE": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "surelearn", "demo"],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def draw_terminal(printed: str) -> str:
    """Return the terminal as an SVG that loads no font from the network."""
    console = Console(width=WIDTH, record=True, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"$ surelearn demo\n{printed}".rstrip()))
    drawing = console.export_svg(title="surelearn demo", unique_id="demo")
    return re.sub(r"@font-face \{.*?\}\s*", "", drawing, flags=re.DOTALL)


def photograph(report: Path) -> dict[str, Image.Image]:
    """Return the top of the report as a desktop and a phone show it."""
    pictures = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("chromium-browser"),
            args=["--no-sandbox"],
        )
        for name, (width, height) in SCREENS.items():
            page = browser.new_page(
                viewport={"width": width, "height": height}, device_scale_factor=1.5
            )
            page.goto(report.as_uri())
            pictures[name] = _reduce(page.screenshot())
        browser.close()
    return pictures


def _reduce(png: bytes) -> Image.Image:
    """Return the picture in 128 colours: it looks the same and has a third of the bytes."""
    picture = Image.open(BytesIO(png)).convert("RGB")
    return picture.quantize(128, kmeans=2)  # without k-means a small mark would change its colour


def main() -> None:
    """Run the demonstration in a temporary folder and write the pictures."""
    TARGET.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        terminal = draw_terminal(run_demo(Path(folder)))
        (TARGET / "terminal.svg").write_text(terminal, encoding="utf-8")
        for name, picture in photograph(Path(folder, "surelearn-demo", "report.html")).items():
            picture.save(TARGET / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
