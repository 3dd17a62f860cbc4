"""A small news site on Django: pages that take a while, an editor's door, and things that no cache may keep. `news.mjs` is the same
site on Express; the tests ask both the same."""

import asyncio
import socket

import uvicorn
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.urls import path

articles = {"rain": "It rains.", "sun": "It shines."}
renders = 0


async def news(request, slug):
    global renders
    renders += 1
    await asyncio.sleep(0.05)
    text = articles.get(slug)
    if text is None:
        return HttpResponse("<h1>No such article</h1>", status=404)
    seen = request.headers.get("cookie", "no cookie")
    page = request.GET.get("page", 1)
    response = HttpResponse(f"<h1>{slug}</h1><p>{text}</p><p>page {page}, {seen}</p>")
    response["cache-tag"] = f"news, article-{slug}"
    return response


async def article(request, slug):
    articles[slug] = request.body.decode()
    return HttpResponse(status=204)


async def account(request):
    response = HttpResponse(f"for {request.headers.get('cookie', 'nobody')}", content_type="text/plain")
    response.set_cookie("session", "secret")
    return response


async def echo(request):
    return HttpResponse(request.body, content_type="text/plain")


async def events(request):
    async def numbers():
        for number in range(1, 4):
            yield f"data: {number}\n\n"
            await asyncio.sleep(0.05)

    return StreamingHttpResponse(numbers(), content_type="text/event-stream")


async def count(request):
    return JsonResponse({"renders": renders})


urlpatterns = [
    path("news/<slug>", news),
    path("articles/<slug>", article),
    path("account", account),
    path("echo", echo),
    path("events", events),
    path("renders", count),
]

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATA_UPLOAD_MAX_MEMORY_SIZE=64 << 20,
    ROOT_URLCONF=__name__,
    SECRET_KEY="only for tests",
)

if __name__ == "__main__":
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    # Before the address is told: whoever connects at once waits for the server, and is not refused.
    listener.listen()
    config = uvicorn.Config(get_asgi_application(), log_level="warning", lifespan="off")
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listener])
