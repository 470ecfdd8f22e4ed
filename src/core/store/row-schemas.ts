/** Complete schemas of JSON columns, where a reader uses them: apart from `rows.ts`, because threads start without zod. */
import { ownResponseSchema } from '../../shared/model/delivery.ts'
import { flowRunSchema, flowRunSummarySchema } from '../../shared/model/flow.ts'
import { forwardSettingsSchema } from '../../shared/model/forward.ts'
import { answeringRuleSchema } from '../../shared/model/hook.ts'

export const rowSchemas = {
  'hooks.answering': answeringRuleSchema,
  'responses.content': ownResponseSchema,
  'forward_targets.settings': forwardSettingsSchema,
  'flow_runs.run': flowRunSchema,
  'flow_runs.summary': flowRunSummarySchema,
}
