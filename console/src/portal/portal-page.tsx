export function PortalPage() {
  return null;
}
