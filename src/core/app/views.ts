/** The saved views of a data folder: read once, kept in the store, told when they change. */
import { z } from 'zod'
import { AppError } from '../../shared/contract/errors.ts'
import { viewSchema, type View } from '../../shared/model/view.ts'
import { parseQuery } from '../../shared/query/parse.ts'
import { createMutex } from '../base/mutex.ts'
import type { Ids, Log } from '../base/deps.ts'
import type { Store } from '../store/store.ts'

export interface ViewsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly ids: Ids
  readonly log: Log
  onChanged(views: readonly View[]): void
}

export interface Views {
  list(): readonly View[]
  /** Makes a view, or changes the one whose id is given. Rejects with `INVALID_QUERY`, `INVALID_INPUT` or `NOT_FOUND`. */
  save(view: Omit<View, 'id'> & { readonly id?: string | undefined }): Promise<View>
  remove(id: string): Promise<void>
}

/** Name of the row that holds them all. */
const VIEWS = 'views'
/** More than these no list shows any more. */
const MOST_VIEWS = 200

function readStored(text: string | null, log: Log): readonly View[] {
  if (text === null) return []
  try {
    return z.array(viewSchema).parse(JSON.parse(text))
  } catch (error) {
    log.warn('The saved views cannot be read; there are none until one is saved.', { reason: (error as Error).message })
    return []
  }
}

export async function openViews({ store, ids, log, onChanged }: ViewsDeps): Promise<Views> {
  let views = readStored(await store.read('setting', VIEWS), log)
  const exclusive = createMutex()

  /** Each change builds on the one before. */
  function change<Result>(make: () => { readonly next: readonly View[]; readonly result: Result }): Promise<Result> {
    return exclusive(async () => {
      const { next, result } = make()
      await store.write('writeSetting', { name: VIEWS, value: JSON.stringify(next) })
      views = next
      onChanged(views)
      return result
    })
  }

  const mustExist = (id: string) => {
    if (!views.some((view) => view.id === id))
      throw new AppError('NOT_FOUND', 'This view is no longer there. Save the search again to keep it.')
  }

  return {
    list: () => views,
    save: ({ id, name, query }) =>
      change(() => {
        parseQuery(query)
        if (id !== undefined) mustExist(id)
        const namesake = views.find((view) => view.id !== id && view.name.toLowerCase() === name.toLowerCase())
        if (namesake !== undefined)
          throw new AppError('INVALID_INPUT', `There is a view called "${namesake.name}" already. Choose another name.`)
        if (id === undefined && views.length >= MOST_VIEWS)
          throw new AppError('INVALID_INPUT', `There are ${MOST_VIEWS} views already. Remove one first.`)
        const result: View = { id: id ?? ids.next(), name, query }
        return { next: id === undefined ? [...views, result] : views.map((view) => (view.id === id ? result : view)), result }
      }),
    remove: (id) =>
      change(() => {
        mustExist(id)
        return { next: views.filter((view) => view.id !== id), result: undefined }
      }),
  }
}
