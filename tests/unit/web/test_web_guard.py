"""Who may ask a server: its own pages and programs of this machine; others with a token; nobody with too much."""

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from fallax.errors import InputError
from fallax.web import ServerLimits, ServerSettings
from fallax.web.security import Guard
from tests.support.serving import Serving, serving

TOKEN = "a-token-of-this-test-0123"


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serving(limits=ServerLimits(body=10_000, upload=10_000)) as running:
        yield running


@pytest.fixture(scope="module")
def guarded() -> Iterator[Serving]:
    with serving(token=TOKEN) as running:
        yield running


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "127.0.0.1:1", "", "localhost@evil.example"]
)
def test_a_foreign_host_is_refused(server: Serving, host: str) -> None:
    for path in ("/examine", "/v1/health", "/static/base.js"):
        found = server.ask("GET", path, headers={"host": host})
        assert found.status in (400, 403), path


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_our_own_names_are_answered(server: Serving, host: str) -> None:
    assert server.ask("GET", "/v1/health", headers={"host": f"{host}:{server.port}"}).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:1", "http://127.0.0.1"])
def test_a_foreign_origin_is_refused(server: Serving, origin: str) -> None:
    found = server.ask("POST", "/v1/detect", {"text": "x"}, headers={"origin": origin})
    assert (found.status, found.json["error"]["kind"]) == (403, "origin")


def test_our_own_origin_is_answered_and_other_sites_are_not(server: Serving) -> None:
    own = {"origin": server.url, "sec-fetch-site": "same-origin"}
    assert server.ask("POST", "/v1/taxonomies", headers=own).status == 405
    assert server.ask("GET", "/v1/taxonomies", headers=own).status == 200
    assert server.ask("GET", "/v1/taxonomies", headers={"sec-fetch-site": "cross-site"}).status == 403
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert server.ask("GET", "/examine", headers=link).status == 200


def test_a_form_of_another_page_cannot_be_json(server: Serving) -> None:
    found = server.ask("POST", "/v1/detect", data=b'{"text": "x"}', headers={"content-type": "text/plain"})
    assert found.status == 415


def test_every_answer_forbids_inline_scripts_and_frames(server: Serving) -> None:
    for path in ("/examine", "/v1/health", "/nothing", "/static/base.js"):
        headers = server.ask("GET", path).headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "script-src 'self';" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"


def test_a_body_that_is_too_large_is_refused_with_and_without_its_length(server: Serving) -> None:
    found = server.ask("POST", "/v1/detect", {"text": "x" * 20_000})
    assert (found.status, found.json["error"]["kind"]) == (413, "size")
    chunked = {"content-type": "application/json", "transfer-encoding": "chunked"}
    body = b"4e20\r\n" + b"x" * 20_000 + b"\r\n0\r\n\r\n"
    assert server.ask("POST", "/v1/detect", data=body, headers=chunked).status == 413
    assert server.ask("POST", "/v1/read?name=a.txt", data=b"x" * 20_000).status == 413


def test_paths_do_not_leave_the_static_folder(server: Serving) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"):
        assert server.ask("GET", path).status == 404, path


def test_without_the_token_nothing_is_answered(guarded: Serving) -> None:
    for path in ("/examine", "/v1/health", "/static/base.js", "/examine?token=wrong"):
        found = guarded.ask("GET", path)
        assert found.status == 401, path
        assert found.headers["www-authenticate"] == "Bearer"
    assert guarded.ask("POST", f"/v1/detect?token={TOKEN}", {"text": "x"}).status == 401


def test_the_token_is_taken_as_a_header_and_moves_from_the_address_to_a_cookie(guarded: Serving) -> None:
    assert guarded.ask("GET", "/v1/health", headers={"authorization": f"Bearer {TOKEN}"}).status == 200
    entered = guarded.ask("GET", f"/examine?token={TOKEN}&a=b")
    assert (entered.status, entered.headers["location"]) == (303, "/examine?a=b")
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert guarded.ask("GET", "/examine", headers={"cookie": cookie.split(";")[0]}).status == 200
    assert guarded.ask("GET", "/examine", headers={"cookie": "fallax_token=wrong; ="}).status == 401
    assert (
        guarded.ask("GET", f"//evil.example/%0d%0aset-cookie:a?token={TOKEN}").headers["location"].startswith("/evil")
    )


def test_servers_on_one_host_do_not_replace_each_others_cookies() -> None:
    one, other = (Guard(None, ServerSettings(host="0.0.0.0", token=t)).cookie for t in (TOKEN, TOKEN[::-1]))
    assert one != other
    assert TOKEN not in one


def test_others_can_reach_a_server_only_with_a_token() -> None:
    with pytest.raises(InputError, match="token"):
        ServerSettings(host="0.0.0.0")
    with pytest.raises(InputError, match="16 to 200"):
        ServerSettings(host="0.0.0.0", token="short")
    wide = ServerSettings(host="0.0.0.0", token=TOKEN, hosts=("news.example",))
    asked = ("192.168.1.7:8577", "news.example:8577", "evil.example:8577", "news.example")
    assert [wide.allows_host(h) for h in asked] == [True, True, False, True]
