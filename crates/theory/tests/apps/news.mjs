// A small news site on Express: pages that take a while, an editor's door, and things that no cache may keep. `news.py` is the same
// site on Django; the tests ask both the same.

import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";

const modules = process.env.THEORY_APPS_NODE_MODULES;
const express = createRequire(`${modules}/`)("express");

const articles = new Map([["rain", "It rains."], ["sun", "It shines."]]);
let renders = 0;

const app = express();
app.use(express.text({ type: "*/*", limit: "64mb" }));

app.get("/news/:slug", async (request, response) => {
  renders += 1;
  await sleep(50);
  const { slug } = request.params;
  const text = articles.get(slug);
  if (text === undefined) {
    response.status(404).type("html").send("<h1>No such article</h1>");
    return;
  }
  const seen = request.get("cookie") ?? "no cookie";
  response.set("cache-tag", `news, article-${slug}`);
  response.type("html").send(`<h1>${slug}</h1><p>${text}</p><p>page ${request.query.page ?? 1}, ${seen}</p>`);
});

app.put("/articles/:slug", (request, response) => {
  articles.set(request.params.slug, request.body);
  response.sendStatus(204);
});

app.get("/account", (request, response) => {
  response.cookie("session", "secret").send(`for ${request.get("cookie") ?? "nobody"}`);
});

app.post("/echo", (request, response) => {
  response.type("text").send(request.body);
});

app.get("/events", async (_request, response) => {
  response.type("text/event-stream").flushHeaders();
  for (let number = 1; number <= 3; number += 1) {
    response.write(`data: ${number}\n\n`);
    await sleep(50);
  }
  response.end();
});

app.get("/renders", (_request, response) => {
  response.json({ renders });
});

const server = app.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
