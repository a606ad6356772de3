import type { InterfaceForm } from '../control/routes/route.ts'
import { readPackageFile } from './package-files.ts'

/** The server in the document of the package. */
export const documentedUrl = 'http://127.0.0.1:4010/v1'

/** Reads the OpenAPI document of the service. The build writes its other forms beside it. */
export async function readInterface({
  openapi = '3.1',
  yaml = false,
  server = documentedUrl,
}: InterfaceForm = {}): Promise<string> {
  const name = `openapi${openapi === '3.1' ? '' : `-${openapi}`}.${yaml ? 'yaml' : 'json'}`
  const document = await readPackageFile(`spec/${name}`)
  return document.replace(documentedUrl, () => server)
}
