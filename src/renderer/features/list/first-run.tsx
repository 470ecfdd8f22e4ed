/** The screen before the first delivery: ways to get one. */
import type { Hook } from '../../../shared/model/hook.ts'
import { signingPrefix } from '../../../shared/service/header-names.ts'
import { signedCurl } from '../../../shared/snippets/curl.ts'
import { environmentFinder } from '../../core-data/environments.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Disclosure } from '../../ui/disclosure.tsx'
import { TourOffer } from '../tour/index.ts'
import { CaptureState, SampleButton } from './capture-state.tsx'

const SECRET_PLACEHOLDER = 'YOUR-HOOK-SECRET'

export function FirstRun() {
  const { hooks, status } = useParts('core', 'hooks', 'status')
  const go = useApp((state) => state.navigation.go)
  if (status === null) return null
  const receiver = status.receiver.url
  const hook =
    hooks.find(
      ({ status: hookStatus, url }) =>
        hookStatus === 'active' && receiver !== null && url.startsWith(receiver),
    ) ?? hooks.find(({ status: hookStatus }) => hookStatus === 'active')
  const url = hook?.url ?? (receiver === null ? null : `${receiver}/h/my-hook`)

  return (
    <div
      className="@container min-h-0 flex-1 overflow-auto"
      tabIndex={0}
      role="region"
      aria-label="Get started"
    >
      <div className="mx-auto max-w-[680px] px-6 pt-[9vh] pb-8">
        <h2 className="text-display font-medium">
          {hook === undefined ? 'Receive your first webhook' : 'Waiting for the first delivery'}
        </h2>
        <p className="mt-1 text-muted">
          Countersign stores every delivery byte for byte, verifies its signature, and explains
          what's wrong with it.
        </p>

        <div className="mt-6 flex flex-wrap items-center gap-x-4 gap-y-2">
          <SampleButton isPrimary />
          <p className="min-w-0 flex-1 basis-72 text-small text-muted">
            The sandbox on this computer sends a signed transaction.auth over HTTPS
            {hook === undefined ? ', to a hook that it adds for you.' : '.'}
          </p>
        </div>

        <h3 className="mt-8 font-medium">
          {hook === undefined ? 'Or use your own hook' : 'Or send from your own system'}
        </h3>
        <OwnHook hook={hook} />
        {receiver === null && (
          <div className="mb-1 flex items-center gap-3">
            <p className="text-muted">The receiver has no URL until it listens on a free port.</p>
            <Button onClick={() => go('settings', { section: 'receiver' })}>Change port…</Button>
          </div>
        )}
        {url !== null && <Fact name="URL" value={url} />}
        <Fact name="CA file" value={status.caFile} />
        <p className="mt-1 mb-5 text-small text-subtle">
          Clients need this CA certificate to trust the receiver.
        </p>
        {url !== null && <SignedCommand url={url} hook={hook} caFile={status.caFile} />}
        <OtherWays />
        <p role="status" className="mt-6 flex flex-wrap items-center gap-x-3 text-small text-muted">
          <CaptureState />
          {status.receiver.state === 'listening'
            ? 'The first delivery appears here.'
            : 'The first delivery appears here once capture works.'}
        </p>
      </div>
    </div>
  )
}

/** Leads to registering or importing a hook, or shows the one that is used. */
function OwnHook({ hook }: { readonly hook: Hook | undefined }) {
  const hooks = useApp((state) => state.core.hooks)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return hook === undefined ? (
    <>
      <p className="mt-0.5 text-muted">Its URL and secret verify what you receive.</p>
      <div className="mt-2 mb-3 flex flex-wrap gap-2">
        <Button onClick={() => openOverlay('register-hook')}>Register hook…</Button>
        <Button onClick={() => openOverlay('import-hook')}>Import hook…</Button>
      </div>
    </>
  ) : (
    <p className="mt-0.5 mb-2 text-muted">
      <span className="data text-text">{hook.event}</span> in {hook.environment}
      {hooks.length > 1 && `, and ${hooks.length - 1} more`}
    </p>
  )
}

/** Shows a signed curl command, without the secret until it is copied. */
function SignedCommand({
  url,
  hook,
  caFile,
}: {
  readonly url: string
  readonly hook: Hook | undefined
  readonly caFile: string
}) {
  const environments = useApp((state) => state.core.environments)
  const revealSecret = useApp((state) => state.hooks.revealSecret)
  const prefix = signingPrefix(environmentFinder(environments), { hook })
  const curl = (secret: string) => signedCurl({ url, caFile, secret, prefix })
  const curlWithSecret = async () => {
    if (hook === undefined) return curl(SECRET_PLACEHOLDER)
    const secret = await revealSecret(hook.id)
    return secret === null ? null : curl(secret)
  }

  return (
    <div className="border-t border-line *:-mx-5 *:border-0">
      <Disclosure title="Sign a request in a shell">
        <div className="flex items-start gap-2">
          <pre
            tabIndex={0}
            aria-label="Signed request with curl"
            className="data min-w-0 flex-1 overflow-x-auto rounded-control border border-line bg-surface px-3 py-2 leading-5 text-muted"
          >
            {curl(hook === undefined ? SECRET_PLACEHOLDER : (hook.secretHint ?? ''))}
          </pre>
          <CopyButton
            text={curlWithSecret}
            label={hook === undefined ? 'Copy command' : 'Copy with secret'}
            caption={hook === undefined ? 'Copy' : 'Copy with secret'}
          />
        </div>
      </Disclosure>
    </div>
  )
}

/** Leads to a tour, verifying a request, and importing deliveries. */
function OtherWays() {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const openImport = useApp((state) => state.importing.open)
  return (
    <div className="flex flex-wrap items-center gap-x-1 border-t border-line pt-2 *:first:-ml-2.5">
      <TourOffer kind="quiet" />
      <Button kind="quiet" onClick={() => openOverlay('verify-request')}>
        Verify a request…
      </Button>
      <Button kind="quiet" onClick={openImport}>
        Import deliveries…
      </Button>
    </div>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="flex h-7 items-center gap-3">
      <span className="w-20 shrink-0 text-small text-subtle">{name}</span>
      <span className="data min-w-0 truncate text-text" title={value}>
        {value}
      </span>
      <CopyButton text={value} label={`Copy ${name}`} />
    </div>
  )
}
