import type { MockReply } from './message.ts'
import type { Replies } from './replies.ts'

/**
 * The reply with the clause or choice that made it, and where its words are: below the path of the control API, of the
 * server that answered.
 */
export function explained(reply: MockReply, replies: Replies): MockReply {
  const { because, rule } = reply
  if (because === undefined) {
    return rule === undefined ? reply : replies.withHeaders(reply, { 'petstore-explain': rule })
  }
  const [id] = because.split('=')
  return replies.withHeaders(reply, {
    'petstore-explain': rule === undefined ? because : `${because}, ${rule}`,
    link: `</_petstore/explain/${id}>; rel="help"`,
  })
}
