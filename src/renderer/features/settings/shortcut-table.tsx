/** Keyboard shortcuts by context. Keys with the same action share a line. */
import { keyMap, type KeyBinding, type KeyScope } from '../../state/key-map.ts'
import { Keys } from '../../ui/keys.tsx'

const headings: Readonly<Record<KeyScope, string>> = {
  everywhere: 'Everywhere',
  list: 'Delivery list',
  detail: 'Delivery details',
  compare: 'Comparison',
  flows: 'Flow',
  sandbox: 'Sandbox',
  composer: 'Replay composer',
}

export function ShortcutTable() {
  return (
    <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
      {(Object.keys(headings) as KeyScope[]).map((scope) => (
        <section key={scope} className={scope === 'everywhere' ? 'sm:row-span-2' : ''}>
          <h3 className="mb-1 text-small font-medium text-subtle">{headings[scope]}</h3>
          <dl>
            {linesOf(scope).map(({ meaning, keys }) => (
              <div key={meaning} className="flex min-h-7 items-center gap-3 border-t border-line/50 py-0.5">
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

function linesOf(scope: KeyScope): readonly { readonly meaning: string; readonly keys: readonly string[] }[] {
  const lines = new Map<string, string[]>()
  for (const binding of keyMap as readonly KeyBinding[]) {
    if (binding.scope !== scope) continue
    lines.set(binding.meaning, [...(lines.get(binding.meaning) ?? []), ...binding.keys])
  }
  return [...lines].map(([meaning, keys]) => ({ meaning, keys }))
}
