/**
 * `npm ci` refuses a lock that lacks an optional package of any platform, also of one that is not this machine's. A registry
 * that does not have such a package yet leaves it out of the lock without a word, so it is looked for here.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ optionalDependencies: z.record(z.string(), z.string()).optional() })),
})
const { packages } = lockSchema.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')))

/** Whether a package that stands at `from` finds `name`: beside it, or in a node_modules above. */
function resolves(from: string, name: string): boolean {
  const steps = from.split('/node_modules/')
  return [...steps.keys(), steps.length]
    .map((count) => [...steps.slice(0, count), name].join('/node_modules/').replace(/^(?!node_modules\/)/, 'node_modules/'))
    .some((path) => path in packages)
}

test('the lock holds every optional package of every platform', () => {
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !resolves(from, name)),
  )
  expect(missing).toEqual([])
})

test('the lock is that of this package', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    object
  >
  expect(packages['']).toMatchObject({ optionalDependencies })
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(names.filter((name) => !(`node_modules/${name}` in packages))).toEqual([])
})
