/** The choice of the kind of objects to list, with the number of each. */
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { kindNames, objectKinds } from './catalogue.ts'
import { useSandboxPlace } from './use-sandbox.ts'

export function ObjectKinds({ objects }: { readonly objects: readonly SandboxObject[] }) {
  const { kind } = useSandboxPlace()
  const show = useApp((state) => state.sandbox.show)
  return (
    <div
      role="radiogroup"
      aria-label="Kind"
      className="@container flex shrink-0 flex-wrap items-center border-b border-line bg-surface px-2"
    >
      {objectKinds.map((one) => (
        <label
          key={one}
          className={`relative flex h-9 items-center gap-1.5 border-b-2 px-2 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent ${
            one === kind
              ? 'border-accent text-text'
              : 'border-transparent text-muted hover:text-text'
          }`}
        >
          <input
            type="radio"
            name="sandbox-kind"
            value={one}
            checked={one === kind}
            onChange={() => show({ kind: one })}
            className="absolute inset-0 opacity-0"
          />
          {kindNames[one].many}
          <span className="text-tiny text-subtle tabular-nums @max-[520px]:hidden">
            {objects.filter((object) => object.kind === one).length}
          </span>
        </label>
      ))}
    </div>
  )
}
