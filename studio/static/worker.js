// One connection for all tabs of this browser: it hears what changes and passes it on.
const ports = new Set();
let source = null;
function listen() {
  source = new EventSource("/live");
  source.onmessage = (event) => tell(JSON.parse(event.data));
  const own = source;
  source.onerror = () => {
    tell({ lost: true });
    // A studio that was started again ends it by turning this browser away, until that has come in anew.
    if (own.readyState === EventSource.CLOSED) setTimeout(() => source === own && listen(), 2_000);
  };
}
function tell(news) {
  for (const port of ports) port.postMessage(news);
}
onconnect = (event) => {
  const port = event.ports[0];
  ports.add(port);
  port.onmessage = () => {
    ports.delete(port);
    if (!ports.size && source) { source.close(); source = null; }
  };
  port.start();
  if (!source) listen();
};
