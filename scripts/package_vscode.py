"""Package the extension for VS Code: python scripts/package_vscode.py [OUT.vsix]; code --install-extension OUT.vsix

A .vsix file is a zip file of the extension with a manifest. The same files give the same bytes.
"""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "editors" / "vscode"
_TYPES = {".json": "application/json", ".js": "application/javascript", ".md": "text/markdown", ".txt": "text/plain"}


def manifest(about: dict[str, object]) -> str:
    """What VS Code reads first, made of package.json."""
    name, publisher, version = (quoteattr(str(about[k])) for k in ("name", "publisher", "version"))
    engine = quoteattr(str(about["engines"]["vscode"]))  # type: ignore[index]
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={name} Version={version} Publisher={publisher} />
    <DisplayName>{escape(str(about["displayName"]))}</DisplayName>
    <Description xml:space="preserve">{escape(str(about["description"]))}</Description>
    <Categories>{escape(",".join(about["categories"]))}</Categories>
    <Properties><Property Id="Microsoft.VisualStudio.Code.Engine" Value={engine} /></Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
  </Assets>
</PackageManifest>
"""


def package(out: Path) -> None:
    """Write the .vsix file."""
    about = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    kinds = "".join(f'<Default Extension="{s}" ContentType="{t}" />' for s, t in sorted(_TYPES.items()))
    types = f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{kinds}'
    types += '<Default Extension=".vsixmanifest" ContentType="text/xml" /></Types>'
    files = {
        "[Content_Types].xml": f'<?xml version="1.0" encoding="utf-8"?>\n{types}\n'.encode(),
        "extension.vsixmanifest": manifest(about).encode(),
        **{f"extension/{p.name}": p.read_bytes() for p in sorted(FOLDER.iterdir()) if p.is_file()},
        "extension/LICENSE.txt": (ROOT / "LICENSE").read_bytes(),
    }
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, raw in files.items():
            packed.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), raw, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "fallax.vsix")
    package(target)
    print(target)
