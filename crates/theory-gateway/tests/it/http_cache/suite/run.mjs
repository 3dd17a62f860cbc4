// Runs the npm package http-cache-tests: plays its origin on a port of this machine, tells that port, and when it is told the address
// of a cache in front of it, asks that cache everything and says what came of it, one test in a line.
//
//     node run.mjs <node_modules> [test id]

import http from 'node:http'
import path from 'node:path'
import readline from 'node:readline'
import { pathToFileURL } from 'node:url'

const [modules, only] = process.argv.slice(2)
const load = file => import(pathToFileURL(path.join(modules, file)))
const parts = ['config', 'state', 'test']

const handlers = await Promise.all(parts.map(part => load(`http-cache-tests/server/handle-${part}.mjs`)))
const server = http.createServer((request, response) => {
  const [, part, ...segments] = new URL(request.url, 'http://localhost/').pathname.split('/')
  const handler = handlers[parts.indexOf(part)]
  if (handler) handler.default(segments, request, response)
  else response.writeHead(404).end()
})
await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))

const { runTests, getResults } = await load('http-cache-tests/client/runner.mjs')
const { default: fetch } = await load('node-fetch/lib/index.mjs')
const { default: suites } = await load('http-cache-tests/tests/index.mjs')
const { default: surrogates } = await load('http-cache-tests/tests/surrogate-control.mjs')
// A cache that lets a request hang must not let this hang.
setTimeout(() => process.exit(1), 180_000).unref()
const all = [...suites, surrogates]

// The suite's own servers complain about what their tests provoke on purpose.
const say = console.log
if (!only) console.log = () => {}
say(server.address().port)

const [address] = await new Promise(resolve => {
  readline.createInterface({ input: process.stdin }).once('line', line => resolve([line.trim()]))
})
for (const suite of all) {
  if (only) suite.tests = suite.tests.filter(test => test.id === only).map(test => ({ ...test, dump: true }))
}
await runTests(all, fetch, false, address)

const results = getResults()
const tests = all.flatMap(suite => suite.tests).filter(test => test.id in results)
for (const test of tests) {
  const result = results[test.id]
  say(JSON.stringify({ id: test.id, kind: test.kind ?? 'required', failure: result === true ? null : result.join(': ') }))
}
process.exit(0)
