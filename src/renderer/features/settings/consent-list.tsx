import type { ReactNode } from 'react'
import type { KeptConsent } from '../../../shared/model/consent.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { exactTime } from '../../ui/moment.ts'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { visibleText } from '../../ui/visible-text.ts'

const ASKED = <span className="text-muted">Not allowed yet. Asks once.</span>

/** Lists live environments and remote hosts: those allowed can be revoked. */
export function ConsentList() {
  const environments = useApp((state) => state.core.environments)
  const { output, problem, readAgain } = useRead('consent.list', {})
  if (problem !== null)
    return (
      <LoadProblem isPart title="Couldn't load the consent" problem={problem} onAgain={readAgain} />
    )
  if (output === undefined) return null
  const stateOf = (about: KeptConsent['about'], name: string) => {
    const kept = output.consents.find((one) => one.about === about && one.name === name)
    return kept === undefined ? ASKED : <Allowed {...kept} />
  }
  const hosts = output.consents.filter(({ about }) => about === 'host')
  const live = environments.filter(({ mode }) => mode === 'live')
  return (
    <div className="flex flex-col gap-5">
      <p className="pt-2 text-muted">
        Always allowed: sends to this computer, and changes in test environments. For everything
        else, Countersign asks once. It remembers what you allow until you revoke it here, or the
        URL of the environment or handler changes.
      </p>
      <Group title="Live environments" note="Changes in them, and sends with their secrets">
        {live.map(({ name, mode }) => (
          <Item key={name} name={<EnvironmentName name={name} mode={mode} />}>
            {stateOf('environment', name)}
          </Item>
        ))}
      </Group>
      <Group title="Remote hosts" note="Replays, forwarding, checks and flows to them">
        {hosts.map(({ name }) => (
          <Item key={name} name={<span className="data">{visibleText(name)}</span>}>
            {stateOf('host', name)}
          </Item>
        ))}
        <Item name={hosts.length === 0 ? 'Every remote host' : 'Every other host'}>{ASKED}</Item>
      </Group>
    </div>
  )
}

function Group({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note: string
  readonly children: ReactNode
}) {
  return (
    <section>
      <h3 className="font-medium">{title}</h3>
      <p className="mb-1 text-small text-muted">{note}</p>
      <ul aria-label={title}>{children}</ul>
    </section>
  )
}

function Item({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }) {
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-4 border-b border-line/60 py-1">
      <span className="w-44 wrap-anywhere">{name}</span>
      <span className="flex flex-wrap items-center gap-x-3">{children}</span>
    </li>
  )
}

function Allowed({ about, name, givenAt }: KeptConsent) {
  const { act, client } = useData()
  return (
    <>
      <span>Allowed</span>
      <span className="text-small text-subtle">since {exactTime(givenAt)}</span>
      <Button
        aria-label={`Revoke ${visibleText(name)}`}
        onClick={() =>
          void act(`Couldn't revoke ${name}`, () => client.call('consent.forget', { about, name }))
        }
      >
        Revoke
      </Button>
    </>
  )
}
