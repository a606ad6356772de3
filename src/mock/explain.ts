import type { MockReply } from './message.ts'
import type { Replies } from './replies.ts'

/**
 * The reply with the clause or choice that made it, and where its words are: below the path of the control API, of the
 * server that answered.
 */
export function explained(reply: MockReply, replies: Replies): MockReply {
  const { reason, rule } = reply
  if (reason === undefined) {
    return rule === undefined ? reply : replies.withHeaders(reply, { 'petstore-explain': rule })
  }
  const [id] = reason.split('=')
  return replies.withHeaders(reply, {
    'petstore-explain': rule === undefined ? reason : `${reason}, ${rule}`,
    link: `</_petstore/explain/${id}>; rel="help"`,
  })
}
