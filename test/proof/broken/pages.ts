import type { VariantOptions } from '../../support/variants/settings.ts'
import type { Call } from './call.ts'
import type { Page, Seams } from './fault.ts'

export const isSuccess = ({ status }: Page): boolean => status === 200 || status === 201

export const isList = (page: Page, { operation }: Call): boolean =>
  operation === 'listPets' && isSuccess(page)

export const bytes = (
  edit: (body: Buffer) => Buffer,
  when: (page: Page, call: Call) => boolean = isSuccess,
  shop?: VariantOptions,
): Seams => ({
  ...(shop && { shop }),
  write: (page, call) =>
    page.body.length > 0 && when(page, call) ? { ...page, body: edit(page.body) } : page,
})

export const text = (
  edit: (body: string) => string,
  when?: (page: Page, call: Call) => boolean,
  shop?: VariantOptions,
): Seams => bytes((body) => Buffer.from(edit(body.toString())), when, shop)
