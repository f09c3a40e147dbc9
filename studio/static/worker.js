// One connection for all tabs of this browser: it hears what changes and passes it on.
const ports = new Set();
let source = null;
function listen() {
  source = new EventSource("/live");
  source.onmessage = (event) => tell(JSON.parse(event.data));
  source.onerror = () => tell({ lost: true });
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
