/** GitHub's parser of workflows, which imports JSON without the attribute that Node requires. */
import { registerHooks } from 'node:module'

const withJson = registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
})
export const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } =
  await import('@actions/workflow-parser')
export const { parseAction } = await import('@actions/workflow-parser/actions/action-parser')
withJson.deregister()
