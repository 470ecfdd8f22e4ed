import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { releaseMemory } from './memory.ts'

test('releases the memory of large bytes', () => {
  const bytes = new Uint8Array(100_000)
  releaseMemory(bytes)
  expect([bytes.byteLength, bytes.buffer.detached]).toEqual([0, true])
})

test('keeps bytes that share their memory with others', () => {
  const whole = new Uint8Array(200_000).fill(7)
  releaseMemory(whole.subarray(0, 100_000))
  expect(whole.every((byte) => byte === 7)).toBe(true)
})

test('leaves small bytes to the garbage collector', () => {
  const bytes = new Uint8Array(1_000)
  releaseMemory(bytes)
  expect(bytes.byteLength).toBe(1_000)
})

/** Returns the largest young generation of a separate process that allocates a lot, in MiB. */
function largestWhile(prepare: string): number {
  const script = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { limitYoungGeneration } from ${JSON.stringify(new URL('./memory.ts', import.meta.url).href)}
    ${prepare}
    const living = []
    let most = 0
    for (let turn = 0; turn < 60; turn++) {
      for (let index = 0; index < 30_000; index++) living[index % 30_000] = { index, list: [index] }
      await new Promise((resolve) => setImmediate(resolve))
      most = Math.max(most, getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size)
    }
    console.log(most / 1_048_576)
    process.exit(0)`
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
  )
}

test("the young generation stops growing, which it doesn't by default", () => {
  expect(largestWhile('limitYoungGeneration()')).toBeLessThanOrEqual(16)
  expect(largestWhile('')).toBeGreaterThan(16)
})
