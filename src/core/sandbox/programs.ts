/** The programs of the sandbox: one in each mode from the start, and one for each program that a hook made elsewhere names. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Program } from '../../shared/service/program.ts'
import type { Objects } from './objects.ts'
import type { Offer } from './records.ts'
import { makeOffer, makeWorld } from './world.ts'

/**
 * The program of that id, or the first of the mode; made with brands, locations, cards and an offer where there is none.
 * Which they are depends on nothing but the id or the mode, so that it is the same program on every machine.
 */
export async function ensureProgram(objects: Objects, mode: Mode, now: number, id?: string): Promise<Program> {
  const known = id === undefined ? objects.all('program', mode)[0] : objects.find('program', id, mode)
  if (known !== undefined) return known
  if (id !== undefined && objects.modeOf('program', id) !== undefined) {
    throw new AppError(
      'NOT_FOUND',
      `There is no program ${id} in ${mode} mode: objects of test and live do not see one another (section 1).`,
    )
  }
  const world = makeWorld({ seed: id ?? `the first program in ${mode}`, mode, now }, id)
  for (const brand of world.brands) await objects.put('brand', mode, brand)
  for (const location of world.locations) await objects.put('location', mode, location)
  for (const card of world.cards) await objects.put('card', mode, card)
  for (const offer of world.offers) await objects.put('offer', mode, offer)
  // Last, so that a program that is there is whole.
  await objects.put('program', mode, world.program)
  return world.program
}

/**
 * The offer of that id. The interface shows no way to make one, so an id that is seen for the first time becomes an offer of
 * that program and mode. Null where it is known, but of another mode or program.
 */
export async function ensureOffer(
  objects: Objects,
  mode: Mode,
  now: number,
  id: string,
  programId: string | null,
): Promise<Offer | null> {
  const known = objects.find('offer', id, mode)
  if (known !== undefined) return programId === null || known.programId === programId ? known : null
  if (objects.modeOf('offer', id) !== undefined) return null
  const program = await ensureProgram(objects, mode, now, programId ?? undefined)
  const offer = makeOffer({ seed: id, mode, now }, 'offer', program.id, id)
  await objects.put('offer', mode, offer)
  return offer
}
