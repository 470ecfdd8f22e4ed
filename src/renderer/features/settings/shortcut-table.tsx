/** Keyboard shortcuts by context; keys with the same action share a line. */
import { keyHeadings, type KeyScope, keyLines } from '../../key-map.ts'
import { Keys } from '../../ui/keys.tsx'

export function ShortcutTable() {
  return (
    <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
      {(Object.keys(keyHeadings) as KeyScope[]).map((scope) => (
        <section
          key={scope}
          className={scope === 'list' ? 'sm:col-start-2 sm:row-span-6 sm:row-start-1' : ''}
        >
          <h3 className="mb-1 text-small font-medium text-subtle">{keyHeadings[scope]}</h3>
          <dl>
            {keyLines
              .filter((line) => line.scope === scope)
              .map(({ action, meaning, keys }) => (
                <div
                  key={action}
                  className="flex min-h-7 items-center gap-3 border-t border-line/50 py-0.5"
                >
                  <dt className="min-w-0 flex-1">{meaning}</dt>
                  <dd className="flex shrink-0 items-center gap-2">
                    {keys.map((one) => (
                      <span key={one}>
                        <span className="sr-only">{one}</span>
                        <Keys keys={one} />
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </div>
  )
}
