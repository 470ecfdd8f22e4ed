/**
 * The long form of the repair test: damages 1,000 pages of a larger file, one at a time, and checks that only the data on each page
 * is lost.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Measurement } from '../../scripts/lib/measurement.ts'
import { databaseFileOf } from '../../src/core/store/open.ts'
import { fillFolderToDamage, readAll, recoverDamaged } from '../support/damage.ts'
import { overwrite, pagesOf, PAGE_BYTES } from '../support/pages.ts'
import { chooseSeed, createSeededRandom } from '../support/seeded-random.ts'

export const name = 'damage'

export const run: Measurement['run'] = async ({ progress }) => {
  const random = createSeededRandom(chooseSeed())
  const rounds = Number(process.env['ROUNDS'] ?? 1_000)
  progress(`SEED=${random.seed}`)
  const folder = mkdtempSync(join(tmpdir(), 'countersign-damage-'))
  try {
    fillFolderToDamage(folder, random, 2_000)
    const pages = pagesOf(folder)
    const before = readAll(databaseFileOf(folder)).deliveries
    let lost = 0
    for (let round = 0; round < rounds; round++) {
      const page = random.pick(pages)
      const { after, result, integrity } = recoverDamaged(folder, (file) => {
        overwrite(file, random.bytes(PAGE_BYTES), (page.number - 1) * PAGE_BYTES)
      })
      const altered = [...after.deliveries]
        .filter(([id, row]) => before.get(id) !== row)
        .map(([id]) => id)
      const gone = before.size - after.deliveries.size
      const most = page.kind === 'leaf' ? page.cells : page.kind === 'overflow' ? 1 : 0
      const isSaid =
        altered.every((id) => result.lostBodies.includes(id)) &&
        result.lostDeliveries.length === gone
      if (integrity !== 'ok' || gone + altered.length > most || !isSaid)
        throw new Error(
          `SEED=${random.seed} page ${page.number}, ${page.kind} of ${page.name}: ${gone} gone, ${altered.length} without body`,
        )
      lost += gone + altered.length
      if (round % 100 === 99) progress(`${round + 1} pages`)
    }
    return [
      {
        title: 'Damaged pages, one at a time',
        columns: ['pages', 'deliveries or bodies on them', 'lost beside them'],
        rows: [[String(rounds), lost, 0]],
        notes: [`SEED=${random.seed}; the bar is 0 lost beside them: met.`],
      },
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}
