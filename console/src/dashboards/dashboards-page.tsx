export function DashboardsPage() {
  return null;
}
