/**
 * A core in a process of its own, so that it can be killed: `node test/support/serve-core.ts FOLDER`. Its first line on stdout
 * says where it listens; it runs until it is killed, or until its starter closes stdin.
 */
import { flushCompileCache } from 'node:module'
import { createCore } from '../../src/core/create-core.ts'
import { limitYoungGeneration } from '../../src/core/threads/young-generation.ts'
import { testDeps } from './test-core.ts'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the data folder.')
// As `serve` does.
limitYoungGeneration()
const deps = testDeps(folder)
const core = await createCore(deps, { serve: { host: '127.0.0.1', receiverPort: 0, sandboxPort: 0 } })
const { receiver, caFile } = await core.status()
console.log(JSON.stringify({ receiver: receiver.url, caFile, pid: process.pid }))

// A killed process never gets to keep its compiled modules for the next one: they are kept now, where a cache is named.
flushCompileCache()

// The starter is gone: nothing may be left running behind it.
process.stdin.on('end', () => process.exit(1))
process.stdin.resume()
