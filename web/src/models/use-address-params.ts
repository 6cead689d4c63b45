import { useLocation } from 'wouter'
import { useSearch } from 'wouter/use-browser-location'

/** The parameters of the page's address, and a function that changes one without a new history entry; '' removes it. */
export function useAddressParams(): readonly [
  URLSearchParams,
  (name: string, value: string) => void,
] {
  const [path, navigate] = useLocation()
  const params = new URLSearchParams(useSearch())
  const set = (name: string, value: string) => {
    const after = new URLSearchParams(location.search)
    if (value === '') after.delete(name)
    else after.set(name, value)
    navigate(after.size === 0 ? path : `${path}?${after}`, { replace: true })
  }
  return [params, set]
}
