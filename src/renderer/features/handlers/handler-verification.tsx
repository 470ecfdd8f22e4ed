import type { SavedHandler } from '../../../shared/model/handler.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { isAutoProbed } from './handler-facts.ts'
import { PageSection, SigningFacts } from './handler-parts.tsx'

/** Shows how requests to the handler are signed and verified, and its command. */
export function HandlerVerification({ handler }: { readonly handler: SavedHandler }) {
  const command = `countersign replay latest --to handler:${handler.name}`
  return (
    <PageSection name="Verification">
      <dl className="grid grid-cols-[100px_minmax(0,1fr)] gap-x-4 gap-y-2 border-t border-line/50 px-5 py-3 text-small">
        <SigningFacts handler={handler} />
        <dt className="text-subtle">Certificate</dt>
        <dd className="text-muted">
          {handler.url.startsWith('http:')
            ? 'Not used over HTTP'
            : handler.targetCa !== null
              ? "Must be signed by the handler's CA"
              : isAutoProbed(handler)
                ? 'Any (same computer)'
                : 'Must be trusted by this computer'}
        </dd>
        <dt className="text-subtle">Command</dt>
        <dd className="flex min-w-0 items-center gap-1">
          <span className="data min-w-0 truncate">{visibleText(command)}</span>
          <CopyButton text={command} label="Copy command" className="-my-1" />
        </dd>
      </dl>
    </PageSection>
  )
}
