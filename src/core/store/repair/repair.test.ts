import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { completeSwap, swapIn } from './repair.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'countersign.db')
  writeFileSync(file, 'damaged')
  writeFileSync(`${file}-wal`, 'log of the damaged one')
  writeFileSync(`${file}.repairing`, 'new')
})

const read = (name: string) => readFileSync(name, 'utf8')

test('the damaged file keeps its log under a new name, and the new file replaces it without one', async () => {
  const setAside = await swapIn(file, 0)
  expect([read(file), read(setAside), read(`${setAside}-wal`)]).toEqual([
    'new',
    'damaged',
    'log of the damaged one',
  ])
  expect(existsSync(`${file}-wal`)).toBe(false)
  expect(readdirSync(folder)).toHaveLength(3)
})

test('an existing name is never overwritten', async () => {
  const taken = `${file}.damaged-19700101T000000Z`
  writeFileSync(`${taken}-wal`, 'of an earlier repair')
  expect(await swapIn(file, 0)).toBe(`${taken}-2`)
  expect(read(`${taken}-wal`)).toBe('of an earlier repair')
})

test.for([0, 1, 2, 3])(
  'a crash after %i of its three steps is completed by the next start',
  (done) => {
    const setAside = `${file}.damaged-x`
    writeFileSync(`${file}.swap`, JSON.stringify({ setAside }))
    const steps = [
      [`${file}-wal`, `${setAside}-wal`],
      [file, setAside],
      [`${file}.repairing`, file],
    ] as const
    for (const [from, to] of steps.slice(0, done)) renameSync(from, to)
    completeSwap(file)
    completeSwap(file)
    expect([read(file), read(setAside), read(`${setAside}-wal`)]).toEqual([
      'new',
      'damaged',
      'log of the damaged one',
    ])
    expect(readdirSync(folder)).toHaveLength(3)
  },
)
