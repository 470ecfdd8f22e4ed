/** A data folder's saved views. */
import { z } from 'zod'
import { viewSchema, type View } from '../../shared/model/view.ts'
import { createMutex } from '../base/async.ts'
import type { Ids } from '../base/deps.ts'
import { readJsonSetting } from '../store/settings.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { parseQuery } from '../../shared/query/parse.ts'
import type { SettingsDeps } from './settings.ts'

interface ViewsDeps extends Omit<SettingsDeps, 'checkPort'> {
  readonly ids: Ids
}

export type Views = Awaited<ReturnType<typeof openViews>>

export const VIEWS = 'views'
const MOST_VIEWS = 200

export async function openViews({ store, ids, log, hub }: ViewsDeps) {
  const read = async (): Promise<readonly View[]> =>
    (await readJsonSetting(store, VIEWS, z.array(viewSchema), (reason) =>
      log.warn("The saved views can't be read, so the list is empty until one is saved.", {
        reason,
      }),
    )) ?? []
  let views = await read()
  const exclusive = createMutex()

  function change<Result>(
    make: () => { readonly next: readonly View[]; readonly result: Result },
  ): Promise<Result> {
    return exclusive(async () => {
      const { next, result } = make()
      await store.write('writeSetting', { name: VIEWS, value: JSON.stringify(next) })
      views = next
      hub.emit('views.changed', { views: [...views] })
      return result
    })
  }

  const requireView = (id: string) => {
    if (!views.some((view) => view.id === id))
      throw new AppError(
        'NOT_FOUND',
        'This view no longer exists. Save the search again to keep it.',
      )
  }

  return {
    list: (): readonly View[] => views,
    /** Runs work during which no view changes. */
    exclusively: exclusive,
    /** Reads rows that another part stored, and reports them. */
    async reload(): Promise<void> {
      views = await read()
      hub.emit('views.changed', { views: [...views] })
    },
    /** Creates or changes a view. Rejects with `INVALID_QUERY`, `INVALID_INPUT`, `NOT_FOUND`. */
    save: ({
      id,
      name,
      query,
    }: Omit<View, 'id'> & { readonly id?: string | undefined }): Promise<View> =>
      change(() => {
        parseQuery(query)
        if (id !== undefined) requireView(id)
        const namesake = views.find(
          (view) => view.id !== id && view.name.toLowerCase() === name.toLowerCase(),
        )
        if (namesake !== undefined)
          throw new AppError(
            'INVALID_INPUT',
            `A view named "${namesake.name}" already exists. Choose another name.`,
          )
        if (id === undefined && views.length >= MOST_VIEWS)
          throw new AppError(
            'INVALID_INPUT',
            `You have ${MOST_VIEWS} views, the maximum. Remove one first.`,
          )
        const result: View = { id: id ?? ids.next(), name, query }
        return {
          next:
            id === undefined
              ? [...views, result]
              : views.map((view) => (view.id === id ? result : view)),
          result,
        }
      }),
    remove: (id: string) =>
      change(() => {
        requireView(id)
        return { next: views.filter((view) => view.id !== id), result: undefined }
      }),
  }
}
