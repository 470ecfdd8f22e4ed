/** Reads the open delivery: its row, reports, attempts and body. */
import { useRef } from 'react'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import { headerNames, signingPrefix } from '../../../shared/service/header-names.ts'
import { environmentFinder } from '../../core-data/environments.ts'
import { useBody } from '../../core-data/use-body.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts } from '../../ui-state/use-app.ts'

const NOTHING_READ = { bytes: new Uint8Array(), size: 0, loading: true }

export type DeliveryView = ReturnType<typeof useLoadedDelivery>['shown']

/** Reads a delivery; until it is loaded, returns what its list row has. */
function useLoadedDelivery(id: string) {
  const row = useApp(({ list: { selectedSeq, rows } }) => {
    const selected = selectedSeq === null ? undefined : rows.rows.get(selectedSeq)
    return selected?.id === id ? selected : undefined
  })
  const isWhole = useApp((state) => state.detail.wholeBodyId === id)
  const delivery = useRead('deliveries.get', { id })
  const signature = useRead('deliveries.signature', { id })
  const schema = useRead('deliveries.schema', { id })
  const attempts = useRead('deliveries.attempts', { id })
  const { body, problem } = useBody('deliveries.body', id, isWhole)
  const reads = [delivery, signature, schema, attempts]
  return {
    shown: {
      delivery: delivery.output ?? { ...BLANK_DELIVERY, ...row, id },
      /** False while only the list row is loaded. */
      loaded:
        delivery.output?.id === id &&
        body !== null &&
        attempts.output !== undefined &&
        (signature.output !== undefined || signature.problem !== null) &&
        (schema.output !== undefined || schema.problem !== null),
      /** Report of the signature; null if it isn't loaded, or failed with `signatureProblem`. */
      signature: signature.output ?? null,
      signatureProblem: signature.problem,
      /** Result of the schema check; null if it couldn't be loaded. */
      schema: schema.output ?? null,
      attempts: attempts.output?.rows ?? [],
      body: body ?? NOTHING_READ,
      /** Why the rest of the body couldn't be loaded. */
      bodyProblem: body === null ? null : problem,
    },
    isKnown: row !== undefined || delivery.output !== undefined,
    isGone: delivery.isGone,
    problem: delivery.problem ?? attempts.problem ?? (body === null ? problem : null),
    readAgain() {
      for (const read of reads) if (read.problem !== null) read.readAgain()
    },
  }
}

/** Returns the hook whose secret signed a delivery, and the name of the signature header. */
export function useSigner({ delivery, signature }: Pick<DeliveryView, 'delivery' | 'signature'>) {
  const { hooks, environments } = useAppParts(({ core }) => ({
    hooks: core.hooks,
    environments: core.environments,
  }))
  const hook = delivery.environment === null ? null : { environment: delivery.environment }
  return {
    hook: hooks.find(({ id }) => id === (signature?.hookId ?? delivery.hookId)),
    signatureHeader: headerNames(signingPrefix(environmentFinder(environments), { hook }))
      .signature,
  }
}

/**
 * Returns the delivery to show. The last one stays until the next is loaded, unless the Overview
 * can show the next one's row.
 */
export function useDelivery(id: string) {
  const isOverview = useApp(
    ({ navigation }) => (navigation.at.deliveries.tab ?? 'overview') === 'overview',
  )
  const read = useLoadedDelivery(id)
  const last = useRef<DeliveryView | null>(null)
  if (read.shown.loaded) last.current = read.shown
  const isReady = read.shown.loaded || (isOverview && read.isKnown)
  return {
    ...read,
    shown: isReady ? read.shown : last.current,
    /** Last loaded delivery: its counts hold their place until the next ones are loaded. */
    lastRead: last.current,
    isReady,
  }
}
