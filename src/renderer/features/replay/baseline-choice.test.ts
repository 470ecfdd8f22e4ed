import { expect, test } from 'vitest'
import { writeBaseline } from '../../../shared/import-export/baseline-file.ts'
import { readBaseline } from './baseline-choice.tsx'

const fileOf = (text: string, times = 1) => ({
  name: 'main.json',
  async *pieces() {
    for (let piece = 0; piece < times; piece++) yield new TextEncoder().encode(text)
  },
})

test('a baseline is read with its name, and refused above what a message holds', async () => {
  const text = writeBaseline({ ignore: ['id'], headers: [] }, [])
  expect(await readBaseline(fileOf(text))).toMatchObject({
    name: 'main.json',
    baseline: { ignore: ['id'] },
  })
  await expect(readBaseline(fileOf(' '.repeat(1_048_576), 16))).rejects.toThrow(
    'main.json is larger than 15 MiB. Compare with it on the command line.',
  )
})
