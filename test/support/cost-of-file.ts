/**
 * Measures process starts and processor seconds of each test file. A file of the first ring fails
 * if it starts many processes.
 */
import childProcess from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { relative } from 'node:path'
import { afterAll, expect, inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    readonly mostStarts: number
  }
}

/** Counter that the files of a process share. */
const counter = globalThis as typeof globalThis & { processStarts?: number }

if (counter.processStarts === undefined) {
  counter.processStarts = 0
  const count = () => {
    counter.processStarts = (counter.processStarts ?? 0) + 1
  }
  subscribe('child_process', count)
  for (const name of ['execFileSync', 'execSync', 'spawnSync'] as const)
    childProcess[name] = new Proxy(childProcess[name], {
      apply(original, self, args) {
        count()
        return Reflect.apply(original, self, args)
      },
    }) as never
  syncBuiltinESMExports()
}

/** Returns the processor seconds of this process's children that have ended. */
function secondsOfChildren(): number {
  if (process.platform !== 'linux') return 0
  const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(13, 15)
  return (Number(user) + Number(system)) / 100
}

const before = {
  own: process.cpuUsage(),
  children: secondsOfChildren(),
  starts: counter.processStarts,
}

// Registered before any hook of the test file, so it runs last.
afterAll(() => {
  const own = process.cpuUsage(before.own)
  const seconds = (own.user + own.system) / 1e6 + secondsOfChildren() - before.children
  const starts = (counter.processStarts ?? 0) - before.starts
  const file = relative(
    import.meta.dirname.replace(/test.support$/, ''),
    expect.getState().testPath ?? '',
  )
  const costs = process.env['COUNTERSIGN_COSTS']
  if (costs !== undefined) appendFileSync(costs, `${JSON.stringify({ file, seconds, starts })}\n`)
  if (starts > inject('mostStarts'))
    throw new Error(
      `This file starts ${starts} processes; one of the first ring may start ${inject('mostStarts')}. Run commands in this process (cli.run), start one for several tests, or list the file as REST in vitest.config.ts.`,
    )
})
