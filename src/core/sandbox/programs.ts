/** Provides a program per mode, and those that imported hooks name. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Program } from '../../shared/service/resources.ts'
import type { SandboxRecords, Offer } from './records.ts'
import { makeWorld, type World, makeOffer } from './world.ts'

/**
 * Returns this program, or the mode's first; creates a missing one, always the same for an id or
 * mode.
 */
export async function ensureProgram(
  records: SandboxRecords,
  mode: Mode,
  now: number,
  id?: string,
): Promise<Program> {
  const existing =
    id === undefined ? records.all('program', mode)[0] : records.find('program', id, mode)
  if (existing !== undefined) return existing
  if (id !== undefined && records.has('program', id)) {
    throw new AppError(
      'NOT_FOUND',
      `Program ${id} not found in ${mode} mode. Test and live mode have separate objects (spec 1).`,
    )
  }
  const world = makeWorld({ seed: id ?? `the first program in ${mode}`, mode, now }, id)
  await storeWorld(records, mode, world)
  return world.program
}

export async function storeWorld(records: SandboxRecords, mode: Mode, world: World): Promise<void> {
  for (const brand of world.brands) await records.put('brand', mode, brand)
  for (const location of world.locations) await records.put('location', mode, location)
  for (const card of world.cards) await records.put('card', mode, card)
  for (const offer of world.offers) await records.put('offer', mode, offer)
  // Last, so that a program in storage is always complete.
  await records.put('program', mode, world.program)
}

/** Finds or creates the offer of an imported hook; null if it belongs elsewhere. */
export async function ensureOffer(
  records: SandboxRecords,
  mode: Mode,
  now: number,
  id: string,
  programId: string | null,
): Promise<Offer | null> {
  const existing = records.find('offer', id, mode)
  if (existing !== undefined)
    return programId === null || existing.programId === programId ? existing : null
  if (records.has('offer', id)) return null
  const program = await ensureProgram(records, mode, now, programId ?? undefined)
  const offer = makeOffer({ seed: id, mode, now }, 'offer', program.id, id)
  await records.put('offer', mode, offer)
  return offer
}
