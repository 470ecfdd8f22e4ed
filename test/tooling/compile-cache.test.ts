import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { removeIfLarger } from '../../scripts/lib/compile-cache.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('a cache of compiled modules is removed once its files are larger than allowed', () => {
  const folder = temporaryFolder()
  const cache = join(folder, 'cache')
  removeIfLarger(cache, 0)
  mkdirSync(join(cache, 'v24'), { recursive: true })
  for (const name of ['one', 'two']) writeFileSync(join(cache, 'v24', name), Buffer.alloc(100_000))
  removeIfLarger(cache, 300_000)
  expect(existsSync(join(cache, 'v24', 'one'))).toBe(true)
  removeIfLarger(cache, 150_000)
  expect(existsSync(cache)).toBe(false)
})
