/** The method of a request in upper case. Nearly all come so, and asking the locale for it takes longer than this. */
export function methodOf({ method }: { readonly method: string }): string {
  return method === 'GET' || method === 'POST' ? method : method.toUpperCase()
}
