/** Optional connection settings: CA certificate, proxy and timeout. */
import { useState } from 'react'
import { AuthorityField } from '../../ui/authority-field.tsx'
import { TextField } from '../../ui/field.tsx'
import { newEnvironment, type EnvironmentFieldsProps } from './environment-form.ts'

export function ConnectionFields({ draft, change, problemAt }: EnvironmentFieldsProps) {
  // Open if any of them is set.
  const [opened, setOpened] = useState(
    () => draft.caPem !== '' || draft.proxy !== '' || draft.timeout !== newEnvironment.timeout,
  )
  const isWrong = (['caPem', 'proxy', 'timeoutMs'] as const).some(
    (field) => problemAt(field) !== undefined,
  )
  return (
    <details open={opened || isWrong} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary className="w-fit rounded-small text-muted">
        Connection: CA certificate, proxy, timeout
      </summary>
      <div className="mt-3 flex flex-col gap-3.5">
        <AuthorityField
          value={draft.caPem}
          hint="PEM. Trusted for this environment, in addition to the system's."
          without="Trust only the system's"
          problem={problemAt('caPem')}
          onChange={(caPem) => change({ caPem })}
        />
        <TextField
          label="Proxy"
          optional
          inputMode="url"
          placeholder="http://"
          hint="Leave empty for none"
          problem={problemAt('proxy')}
          value={draft.proxy}
          onChange={(proxy) => change({ proxy })}
        />
        <TextField
          label="Timeout in seconds"
          optional
          inputMode="decimal"
          placeholder={newEnvironment.timeout}
          problem={problemAt('timeoutMs')}
          value={draft.timeout}
          onChange={(timeout) => change({ timeout })}
        />
      </div>
    </details>
  )
}
