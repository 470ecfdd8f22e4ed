/** Sandbox objects by kind, with details of the selected one. */
import { useMemo, useState } from 'react'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { NotFoundPane, SplitPanes } from '../../ui/split-panes.tsx'
import { ObjectDetail } from './object-detail.tsx'
import { ObjectList } from './object-list.tsx'
import { useSandboxPlace } from './use-sandbox.ts'

/** Shows the objects of a kind, newest first, with the selected one. */
export function ObjectsView({ objects }: { readonly objects: readonly SandboxObject[] }) {
  const { kind, id: chosen } = useSandboxPlace()
  const show = useApp((state) => state.sandbox.show)
  const [filter, setFilter] = useState('')
  const listed = useMemo(() => {
    const words = filter.trim().toLowerCase()
    return objects
      .filter(
        ({ kind: one, data }) =>
          one === kind && (words === '' || JSON.stringify(data).toLowerCase().includes(words)),
      )
      .toReversed()
  }, [objects, kind, filter])
  const isMissing = chosen !== null && objects.every(({ id }) => id !== chosen)
  const shown = isMissing ? undefined : (listed.find(({ id }) => id === chosen) ?? listed[0])
  return (
    <SplitPanes
      name="sandbox-objects"
      className="min-h-0 flex-1"
      first={{
        id: 'objects',
        content: (
          <ObjectList
            objects={objects}
            listed={listed}
            shownId={shown?.id ?? null}
            filter={filter}
            onFilter={setFilter}
          />
        ),
      }}
      second={
        shown === undefined && !isMissing
          ? null
          : {
              id: 'object',
              defaultSize: '46%',
              content:
                shown === undefined ? (
                  <NotFoundPane what="Object" name={chosen ?? ''} />
                ) : (
                  <ObjectDetail
                    key={shown.id}
                    object={shown}
                    all={objects}
                    onShow={(other) => {
                      setFilter('')
                      show({ kind: other.kind, id: other.id })
                    }}
                  />
                ),
            }
      }
      resize="Resize object details"
    />
  )
}
