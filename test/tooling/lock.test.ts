/**
 * Checks for missing packages in the lock file: `npm ci` rejects one that lacks an optional package
 * of any platform, which a registry without that package silently drops.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { z } from 'zod'

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
})
const { packages } = lockSchema.parse(JSON.parse(readFileSync('package-lock.json', 'utf8')))

/** Whether a package at `from` can resolve `name`: next to it, or in a parent node_modules. */
function resolves(from: string, name: string): boolean {
  const steps = from.split('/node_modules/')
  return [...steps.keys(), steps.length]
    .map((count) =>
      [...steps.slice(0, count), name]
        .join('/node_modules/')
        .replace(/^(?!node_modules\/)/, 'node_modules/'),
    )
    .some((path) => path in packages)
}

test('the lock file contains the optional packages of all platforms', () => {
  const missing = Object.entries(packages).flatMap(([from, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !resolves(from, name)),
  )
  expect(missing).toEqual([])
})

test('the lock file matches package.json', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  ) as Record<string, object>
  expect(packages['']).toMatchObject({ optionalDependencies })
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
  expect(names.filter((name) => !(`node_modules/${name}` in packages))).toEqual([])
})
