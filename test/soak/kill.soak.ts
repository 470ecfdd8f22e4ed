/** The long form of promise 1: 1,000 kills under load on one data folder. */
import type { Measurement } from '../../scripts/lib/measurement.ts'
import { killRounds } from '../support/kill-rounds.ts'
import { chooseSeed } from '../support/seeded-random.ts'

export const name = 'kill'

export const run: Measurement['run'] = async ({ progress }) => {
  const seed = chooseSeed()
  const rounds = Number(process.env['ROUNDS'] ?? 1_000)
  progress(`SEED=${seed}`)
  const result = await killRounds({
    rounds,
    seed,
    onRound: (round, { acknowledged, lost }) => {
      if (round % 50 === 49)
        progress(`${round + 1} rounds: ${acknowledged} acknowledged, ${lost.length} lost`)
    },
  })
  if (result.lost.length > 0 || result.integrity !== 'ok') {
    throw new Error(
      `SEED=${seed}: lost ${result.lost.slice(0, 10).join(', ')}; integrity: ${result.integrity}`,
    )
  }
  return [
    {
      title: 'Killed under load from 16 connections',
      columns: ['rounds', 'sent', 'acknowledged', 'lost', 'stored, not acknowledged'],
      rows: [
        [String(rounds), result.sent, result.acknowledged, result.lost.length, result.storedOnly],
      ],
      notes: [`SEED=${seed}; the bar is 0 lost: met.`],
    },
  ]
}
