import type { KeptConsent } from '../../../shared/model/consent.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { Button } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { exactTime } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'

const kinds: Readonly<Record<KeptConsent['about'], string>> = {
  host: 'Remote host',
  environment: 'Live environment',
}

export function ConsentList() {
  const { act, client } = useData()
  const { output, problem, readAgain } = useRead('consent.list', {})
  if (problem !== null)
    return (
      <LoadProblem isPart title="Couldn't load the consent" problem={problem} onAgain={readAgain} />
    )
  if (output === undefined) return null
  if (output.consents.length === 0) return <p className="text-muted">Nothing is allowed yet.</p>
  return (
    <ul aria-label="Allowed">
      {output.consents.map(({ about, name, givenAt }) => (
        <li
          key={`${about} ${name}`}
          className="flex items-center gap-3 border-b border-line/60 py-1.5"
        >
          <span className="w-32 shrink-0 text-muted">{kinds[about]}</span>
          <span className="data min-w-0 flex-1 wrap-anywhere">{visibleText(name)}</span>
          <span className="text-small text-subtle">since {exactTime(givenAt)}</span>
          <Button
            aria-label={`Revoke ${visibleText(name)}`}
            onClick={() =>
              void act(`Couldn't revoke ${name}`, () =>
                client.call('consent.forget', { about, name }),
              )
            }
          >
            Revoke
          </Button>
        </li>
      ))}
    </ul>
  )
}
