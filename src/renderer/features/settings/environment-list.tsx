import { useState } from 'react'
import { Plus } from 'lucide-react'
import type { Environment, EnvironmentCheck } from '../../../shared/model/environment.ts'
import { doctorOutcomes } from '../../../shared/model/service-outcomes.ts'
import { DEFAULT_PREFIX } from '../../../shared/service/header-names.ts'
import { isOfSandbox } from '../../core-data/environments.ts'
import { useData } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { ModeMark, OutcomeIcon, toneText } from '../../ui/outcome-mark.tsx'

const DEFAULT_TIMEOUT_MS = 30_000

export function EnvironmentList() {
  const { environments, isLoaded, openOverlay } = useAppParts((state) => ({
    environments: state.core.environments,
    isLoaded: state.core.status !== null,
    openOverlay: state.navigation.openOverlay,
  }))
  if (!isLoaded)
    return <div role="status" aria-label="Loading environments" className="late skeleton h-16" />
  return (
    <>
      <ul aria-label="Environments" className="-mt-2">
        {environments.map((environment) => (
          <EnvironmentItem key={environment.name} environment={environment} />
        ))}
      </ul>
      <Button icon={Plus} className="mt-2" onClick={() => openOverlay('environment')}>
        Add environment
      </Button>
    </>
  )
}

function EnvironmentItem({ environment }: { readonly environment: Environment }) {
  const { name, mode, current } = environment
  const { act, client } = useData()
  /** Settings that a check result is valid for; `current` isn't one of them. */
  const account = JSON.stringify({ ...environment, current: null })
  const [checked, setChecked] = useState<{ of: string; check: EnvironmentCheck } | null>(null)
  const [isChecking, setChecking] = useState(false)
  const checkEnvironment = async () => {
    setChecked(null)
    const check = await act(
      `Couldn't test ${name}`,
      () => client.call('environments.check', { name }),
      { busy: setChecking },
    )
    if (check !== undefined) setChecked({ of: account, check })
  }
  const [isBusy, setBusy] = useState(false)
  return (
    <li className="pt-2 pb-4">
      <div className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1">
        <h3 className="flex min-w-0 flex-1 basis-40 items-center gap-2 font-medium">
          <span className="truncate" title={name}>
            {name}
          </span>
          <ModeMark mode={mode} />
          {isOfSandbox(name) && (
            <span className="text-small font-normal whitespace-nowrap text-subtle">built in</span>
          )}
          {current && (
            <span
              className="shrink-0 rounded-small bg-control px-1.5 text-small font-normal text-muted"
              title="New hooks and sends use it"
            >
              Current
            </span>
          )}
        </h3>
        <span className="flex items-center gap-1">
          <Button
            className="h-6 px-2 text-small"
            aria-label={`Test connection of ${name}`}
            disabled={isChecking}
            onClick={() => void checkEnvironment()}
          >
            {isChecking ? 'Testing…' : 'Test connection'}
          </Button>
          {!current && (
            <Button
              className="h-6 px-2 text-small"
              aria-label={`Use ${name}`}
              disabled={isBusy}
              onClick={() =>
                void act(`Couldn't use ${name}`, () => client.call('environments.use', { name }), {
                  busy: setBusy,
                })
              }
            >
              Use
            </Button>
          )}
          <ChangeButtons name={name} />
        </span>
      </div>
      <EnvironmentFacts environment={environment} />
      {checked?.of === account && <CheckResult check={checked.check} />}
    </li>
  )
}

function EnvironmentFacts({ environment }: { readonly environment: Environment }) {
  const { name, baseUrl, prefix, ack, publicKey } = environment
  const connection = connectionWords(environment)
  return (
    <Facts>
      <Fact name="Base URL">
        <span className="data">{baseUrl === '' ? "The sandbox isn't running." : baseUrl}</span>
      </Fact>
      <Fact name="Authentication">{authWords(environment)}</Fact>
      {prefix !== DEFAULT_PREFIX && (
        <Fact name="Headers">
          <span className="data">x-{prefix}-…</span>
        </Fact>
      )}
      {ack !== '200' && <Fact name="Acknowledged by">any 2xx</Fact>}
      {connection !== '' && <Fact name="Connection">{connection}</Fact>}
      {publicKey !== null && (
        <Fact name="Public key">
          <span className="data">{publicKey}</span>{' '}
          <CopyButton text={publicKey} label={`Copy the public key of ${name}`} className="-my-1" />
        </Fact>
      )}
    </Facts>
  )
}

function ChangeButtons({ name }: { readonly name: string }) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <>
      <Button
        className="h-6 px-2 text-small"
        aria-label={`Edit ${name}`}
        onClick={() => openOverlay('environment', name)}
      >
        Edit…
      </Button>
      {!isOfSandbox(name) && (
        <Button
          className="h-6 px-2 text-small"
          aria-label={`Remove ${name}`}
          onClick={() => openOverlay('remove-environment', name)}
        >
          Remove…
        </Button>
      )}
    </>
  )
}

function authWords({ auth, key }: Environment): string {
  const secret = key === null ? 'none' : key
  return auth === 'service-key' ? `Service key ${secret}` : `Bearer token, client secret ${secret}`
}

/** Returns the connection settings that differ from the defaults, in words. */
function connectionWords({ caPem, proxy, timeoutMs }: Environment): string {
  return [
    caPem === null ? '' : 'custom CA certificate',
    proxy === null ? '' : `through ${proxy}`,
    timeoutMs === DEFAULT_TIMEOUT_MS ? '' : `timeout ${timeoutMs / 1_000} s`,
  ]
    .filter(Boolean)
    .join(', ')
}

const checkWords: Readonly<Record<EnvironmentCheck['outcome'], string>> = {
  ok: 'Connected.',
  warning: 'The service responds, but not as expected.',
  failed: 'The test failed.',
}

function CheckResult({ check }: { readonly check: EnvironmentCheck }) {
  const level = doctorOutcomes[check.outcome]
  return (
    <div role="status" className="mt-1.5 flex items-start gap-2">
      <span className="mt-0.5">
        <OutcomeIcon outcome={level} size={15} />
      </span>
      <div className="min-w-0 flex-1">
        <p className={`font-medium ${toneText[level.tone]}`}>{checkWords[check.outcome]}</p>
        {check.learned.slice(check.outcome === 'ok' ? 1 : 0).map((sentence) => (
          <p key={sentence} className="text-muted wrap-anywhere">
            {sentence}
          </p>
        ))}
        {check.sent !== null && (
          <p className="data text-small text-muted wrap-anywhere">
            Sent <ExactText text={check.sent} />
          </p>
        )}
        {check.status !== null && (
          <details className="mt-1">
            <summary className="text-small text-muted">Returned {check.status}</summary>
            <pre
              tabIndex={0}
              aria-label={`Response of ${check.name}`}
              className="data mt-1 max-h-40 overflow-auto rounded-small border border-line bg-surface px-2.5 py-1.5 wrap-anywhere whitespace-pre-wrap"
            >
              <ExactLines
                text={check.body === null || check.body === '' ? '(empty body)' : check.body}
              />
            </pre>
          </details>
        )}
      </div>
    </div>
  )
}
